"""Points from a pasted CSV."""

from novikoff.lab.state.url_values import read_points
from tests.helpers.browser import until
from tests.helpers.lab_page import keys, redrawn


def test_points_are_pasted_from_a_csv_with_columns_chosen(lab):
    csv = "name,height,weight,age,kind\na,1,2,30,x\nb,2,5,20,y\nc,3,1,10,x\nd,4,7,40,y\n"
    page = lab()
    page.click("#paste")
    page.fill("#paste-text", csv)
    until(page, "!document.getElementById('paste-use').disabled")
    page.select_option("#paste-x", "height")
    page.select_option("#paste-y", "age")
    page.select_option("#paste-target", "kind")
    until(page, "document.getElementById('paste-note').textContent.includes('is x')")
    until(page, "!document.getElementById('paste-use').disabled")
    with redrawn(page):
        page.click("#paste-use")
    points = read_points(keys(page)["points"])
    assert sorted(points) == [(1, 30, -1), (2, 20, 1), (3, 10, -1), (4, 40, 1)]
    page.click("#paste")
    page.fill("#paste-text", "height,weight,kind,sort\n1,2,x,u\n3,4,y,v\n5,6,y,w\n")
    until(page, "document.getElementById('paste-note').textContent.includes('3 different labels')")
    assert page.is_disabled("#paste-use")
    page.select_option("#paste-target", "kind")
    until(page, "!document.getElementById('paste-use').disabled")


def test_only_what_was_read_of_the_text_that_is_there_can_be_used(lab, tmp_path):
    page = lab()
    note = "document.getElementById('paste-note').textContent"
    page.click("#paste")
    page.fill("#paste-text", "a,b,c\n1,2,x\n3,4,y\n")
    until(page, "!document.getElementById('paste-use').disabled")
    page.fill("#paste-text", "a,b,c\n1,2,x\n5,6,y\n")
    assert page.is_disabled("#paste-use")
    until(page, "!document.getElementById('paste-use').disabled")
    (tmp_path / "latin.csv").write_bytes("a,b,c\n1,2,ä\n3,4,ö\n".encode("latin-1"))
    page.set_input_files("#paste-file", tmp_path / "latin.csv")
    until(page, f"{note}.includes('not text in UTF-8')")
    assert page.is_disabled("#paste-use")
    (tmp_path / "large.csv").write_text('a,b,c\n"1",2,x\n' + '"3",4,y\n' * 110_000)
    page.set_input_files("#paste-file", tmp_path / "large.csv")
    until(page, f"{note}.includes('are the most')")
    assert page.input_value("#paste-text") == "a,b,c\n1,2,x\n5,6,y\n"
    page.fill("#paste-text", "a,b,c\n1,2,x\n7,8,y\n")
    until(page, "!document.getElementById('paste-use').disabled")
    with redrawn(page):
        page.click("#paste-use")
    assert read_points(keys(page)["points"])[1][:2] == (7, 8)
    with redrawn(page):
        page.click("#undo")
    assert "points" not in keys(page)
