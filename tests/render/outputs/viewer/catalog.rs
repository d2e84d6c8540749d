//! Tests the page of a catalog in a browser, opened from the disk.

use super::browser::Page;
use crate::map::{Place, Ran, fixture, program};
use crate::world::Files;

#[test]
fn the_page_of_a_catalog_sorts_and_filters() {
    let Some(mut page) = Page::open() else {
        return;
    };

    let place = Place::empty();
    for (folder, name) in [
        ("a", "gzip"),
        ("<b>b</b>", "bedrock"),
        ("c", "layout-custom"),
        ("d", "layout-custom"),
    ] {
        Files::read_under(&fixture(name)).write_under(&place.at("worlds").join(folder));
    }
    let mut command = program();
    command.arg("catalog").arg(place.at("worlds"));
    command.arg("-o").arg(place.at("out"));
    Ran::of(command.output().unwrap()).expect(0, "a catalog");

    page.go(&format!("file://{}", place.at("out/index.html").display()));
    page.wait_for("document.querySelectorAll('tbody tr').length === 4");
    page.wait_for("[...document.images].every((image) => image.naturalWidth > 0)");
    let paths = "[...document.querySelectorAll('tbody tr')].map((row) => row.querySelector('small').textContent).join()";

    // The names of worlds are texts.
    let text = page.eval(paths);
    assert!(text.as_str().unwrap().contains("<b>b</b>"), "{text}");

    let sort = "document.querySelectorAll('th button')[5].click()";
    let chunks = "[...document.querySelectorAll('tbody tr')].map((row) => Number(row.cells[5].textContent.replace(/\\D/g, '')))";
    page.eval(sort);
    page.wait_for(&format!(
        "{chunks}.every((count, row, all) => row === 0 || all[row - 1] <= count)"
    ));
    page.eval(sort);
    page.wait_for(&format!(
        "{chunks}.every((count, row, all) => row === 0 || all[row - 1] >= count)"
    ));

    page.eval("{ const edition = document.getElementById('edition'); edition.value = 'bedrock'; edition.dispatchEvent(new Event('input', { bubbles: true })); }");
    page.wait_for(&format!("{paths} === '<b>b</b>'"));

    page.eval("{ document.getElementById('edition').value = ''; const state = document.getElementById('state'); state.value = 'copies'; state.dispatchEvent(new Event('input', { bubbles: true })); }");
    page.wait_for("document.getElementById('count').textContent === '2 of 4'");
    page.wait_for("document.querySelector('tbody').textContent.includes('100 % equal to')");
}
