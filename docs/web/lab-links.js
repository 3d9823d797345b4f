// Links into the lab name a host and a port; where the lab listens elsewhere, the reader says so once.
(() => {
  const usual = "127.0.0.1:5006";
  const links = [...document.querySelectorAll(`.md-content a[href^="http://${usual}/"]`)];
  if (!links.length) return;
  const paths = links.map((link) => link.getAttribute("href").slice(`http://${usual}`.length));
  const label = document.createElement("label");
  const field = document.createElement("input");
  label.className = "lab-address";
  label.append("The lab listens at ", field);
  field.value = localStorage.getItem("novikoff-lab") || usual;
  field.spellcheck = false;
  const point = () => {
    const typed = field.value.trim() || usual;
    const address = /^\d+$/.test(typed) ? `127.0.0.1:${typed}` : typed;
    if (!/^[\w.\-\[\]:]+$/.test(address)) return;
    localStorage.setItem("novikoff-lab", address);
    links.forEach((link, k) => link.setAttribute("href", `http://${address}${paths[k]}`));
  };
  field.addEventListener("input", point);
  document.querySelector(".md-content h1").after(label);
  point();
})();
