"""What axe-core finds on a page that keeps some people from using it."""

SERIOUS = ("serious", "critical")
OPTIONS = {"resultTypes": ["violations"], "elementRef": False}
#: Rules whose answer depends on the colours of the screen.
COLOUR = ("color-contrast", "link-in-text-block")

RUN = """async ([options, serious]) => (await axe.run(document, options)).violations
  .filter(each => serious.includes(each.impact))
  .map(each => [each.id, each.help, each.nodes.slice(0, 4).map(node => node.html.slice(0, 200))])"""

#: Takes out texts that look like one before, on this page or on one of the same server before it:
#: the colours, letters and backgrounds of the text and of all around it are the same. Of code with
#: thousands of words in a few colours, one of each is left.
PRUNE = """() => {
  const kept = name => JSON.parse(localStorage.getItem(name) ?? "[]");
  const looks = new Map(kept("looks")), seen = new Set(kept("seen")), repeated = [];
  const PARTS = ["display", "position", "color", "backgroundColor", "backgroundImage", "opacity",
    "filter", "fontSize", "fontWeight", "textDecorationLine", "textShadow", "visibility"];
  const look = (element, around) => {
    const style = getComputedStyle(element);
    const name = [around, element.tagName, ...PARTS.map(part => style[part])].join();
    if (!looks.has(name)) looks.set(name, looks.size);
    return looks.get(name);
  };
  const walk = (element, around) => {
    const mine = look(element, around);
    for (const child of element.children) walk(child, mine);
    if (element.children.length || !element.textContent.trim()) return;
    if (seen.has(mine)) repeated.push(element);
    seen.add(mine);
  };
  walk(document.body, "");
  for (const element of repeated) element.remove();
  localStorage.setItem("looks", JSON.stringify([...looks]));
  localStorage.setItem("seen", JSON.stringify([...seen]));
}"""


def load(page):
    """Give a page the script, which stays until the page is left."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(Axe().axe_script)


def violations(page, **options):
    """The serious ones: the rule, what it wants, and where it is broken."""
    return page.evaluate(RUN, [OPTIONS | options, SERIOUS])


def violations_but_of_colour(page):
    return violations(page, rules={name: {"enabled": False} for name in COLOUR})


def violations_of_colour(page):
    return violations(page, runOnly=COLOUR)
