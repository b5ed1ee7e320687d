// A link to the same page in the other language: the books lie side by side, with the same file names.
(() => {
    const other = document.documentElement.lang === "es" ? "en" : "es";
    const buttons = document.querySelector(".right-buttons");
    if (!buttons) return;
    const page = location.pathname.split("/").pop() || "index.html";
    const root = typeof path_to_root === "string" ? path_to_root : "";
    const link = document.createElement("a");
    link.className = "language-switch icon-button";
    link.href = `${root}../${other}/${page}`;
    link.hreflang = link.lang = other;
    link.title = other === "es" ? "Esta página en español" : "This page in English";
    link.setAttribute("aria-label", link.title);
    link.textContent = other.toUpperCase();
    buttons.prepend(link);
})();
