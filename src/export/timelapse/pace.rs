//! How long each frame of an animation is shown, in the units of its format.

/// Seconds that the last frame is shown at least, before the first one comes again.
const LAST: f64 = 2.0;

/// The pace of an animation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Frames a second.
    pub(super) rate: f64,
    /// Units of time a second.
    pub(super) units: f64,
}

impl Pace {
    /// The units for which a picture is shown from the frame with one number until that with another. They are rounded
    /// so that all frames together take as long as they should.
    pub(super) fn time(self, from: u64, until: u64) -> u32 {
        (self.start(until) - self.start(from)) as u32
    }

    /// The same for the last picture.
    pub(super) fn last_time(self, from: u64, until: u64) -> u32 {
        self.time(from, until).max((LAST * self.units) as u32)
    }

    fn start(self, number: u64) -> u64 {
        (number as f64 * self.units / self.rate).round() as u64
    }
}

/// A picture that is written when the next one is there, since it is known then how long it is shown.
#[derive(Debug)]
pub(super) struct HeldPicture<T> {
    pace: Pace,
    /// The number of the frame from which it is shown.
    number: u64,
    picture: Option<T>,
}

impl<T> HeldPicture<T> {
    pub(super) const fn new(pace: Pace) -> Self {
        Self { pace, number: 0, picture: None }
    }

    /// Holds the picture that is shown from a frame on; returns the one before, with its time.
    pub(super) fn replace(&mut self, number: u64, picture: T) -> Option<(T, u32)> {
        let time = self.pace.time(self.number, number);
        self.number = number;
        self.picture.replace(picture).map(|before| (before, time))
    }

    /// The last picture with its time, after this number of frames.
    pub(super) fn end(self, frames: u64) -> Option<(T, u32)> {
        let time = self.pace.last_time(self.number, frames);
        self.picture.map(|last| (last, time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_as_long_as_they_should_together() {
        let pace = Pace { rate: 30.0, units: 100.0 };
        let times: Vec<u32> = (0..6).map(|number| pace.time(number, number + 1)).collect();
        assert_eq!(times, [3, 4, 3, 3, 4, 3]);
        assert_eq!((pace.time(0, 3), pace.last_time(5, 6)), (10, 200));
        assert_eq!(Pace { rate: 0.25, units: 1000.0 }.last_time(1, 2), 4000);
        assert!((0..99).all(|number| Pace { rate: 50.0, units: 100.0 }.time(number, number + 1) == 2));
    }
}
