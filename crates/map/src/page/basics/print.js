// @ts-check

/*
 * Fits the map to a sheet of paper when the browser prints the page. viewer.css lays out the sheet.
 */

/** The pixels of a sheet that the map may take: A4 and Letter, upright, have room for these. */
const SHEET = { width: 680, height: 800 };

/** Scales the view of the window down to the sheet, because a window is wider than paper. */
export function fitToPaper() {
  window.addEventListener('beforeprint', () => {
    const { innerWidth, innerHeight } = window;
    const scale = Math.min(SHEET.width / innerWidth, SHEET.height / innerHeight);
    const { style } = document.documentElement;
    style.setProperty('--view-width', `${innerWidth}px`);
    style.setProperty('--view-height', `${innerHeight}px`);
    style.setProperty('--view-scale', String(scale));
  });
}
