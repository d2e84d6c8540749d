//! Computes how long each frame of an animation is shown, in the units of its format.

/// The shortest time in seconds for the last frame, before the animation starts again.
const LAST: f64 = 2.0;

/// The speed of an animation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Frames per second.
    pub(super) rate: f64,
    /// Units of time per second.
    pub(super) units: f64,
}

impl Pace {
    /// Returns the units for which a picture is shown, from frame number `from` until frame number
    /// `until`. Rounding errors do not add up, because the start times are rounded instead of the
    /// durations.
    pub(super) fn time(self, from: u64, until: u64) -> u32 {
        (self.start(until) - self.start(from)) as u32
    }

    /// Like `time`, for the last picture, which is shown for at least `LAST` seconds.
    pub(super) fn last_time(self, from: u64, until: u64) -> u32 {
        self.time(from, until).max((LAST * self.units) as u32)
    }

    fn start(self, number: u64) -> u64 {
        (number as f64 * self.units / self.rate).round() as u64
    }
}

/// Delays writing a picture until the next one arrives, because its duration is not known before
/// that.
#[derive(Debug)]
pub(super) struct HeldPicture<T> {
    pace: Pace,
    /// The number of the frame at which the picture appears.
    number: u64,
    picture: Option<T>,
}

impl<T> HeldPicture<T> {
    pub(super) const fn new(pace: Pace) -> Self {
        Self {
            pace,
            number: 0,
            picture: None,
        }
    }

    /// Stores the picture that appears at a frame. Returns the previous picture with its duration.
    pub(super) fn replace(&mut self, number: u64, picture: T) -> Option<(T, u32)> {
        let time = self.pace.time(self.number, number);
        self.number = number;
        self.picture.replace(picture).map(|before| (before, time))
    }

    /// Returns the last picture with its duration. `frames` is the number of all frames.
    pub(super) fn end(self, frames: u64) -> Option<(T, u32)> {
        let time = self.pace.last_time(self.number, frames);
        self.picture.map(|last| (last, time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_times_add_up_to_the_rate() {
        let pace = Pace {
            rate: 30.0,
            units: 100.0,
        };
        let times: Vec<u32> = (0..6).map(|number| pace.time(number, number + 1)).collect();
        assert_eq!(times, [3, 4, 3, 3, 4, 3]);
        assert_eq!((pace.time(0, 3), pace.last_time(5, 6)), (10, 200));

        assert_eq!(
            Pace {
                rate: 0.25,
                units: 1000.0
            }
            .last_time(1, 2),
            4000
        );

        assert!((0..99).all(|number| {
            Pace {
                rate: 50.0,
                units: 100.0,
            }
            .time(number, number + 1)
                == 2
        }));
    }
}
