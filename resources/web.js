"use strict";
// Keeps a page of `kernelscape serve` current: asks for it every two seconds while it is visible, and replaces what changed.
(() => {
  const period = 2000;
  const status = document.getElementById("connection");
  let asking = false;

  const report = (state, text) => {
    if (status.dataset.state === state) return;
    status.dataset.state = state;
    status.textContent = text;
  };

  // Replaces the children that differ; a list is compared item by item.
  const update = (shown, wanted) => {
    const before = [...shown.children];
    const after = [...wanted.children];
    after.forEach((element, place) => {
      const old = before[place];
      if (old === undefined) shown.append(element);
      else if (old.isEqualNode(element)) return;
      else if (old.tagName === "UL" && element.tagName === "UL") update(old, element);
      else old.replaceWith(element);
    });
    before.slice(after.length).forEach((element) => element.remove());
  };

  const show = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const focused = document.activeElement?.getAttribute("href") ?? null;
    document.documentElement.dataset.revision = page.documentElement.dataset.revision;
    document.title = page.title;
    const style = document.querySelector("style");
    const wanted = page.querySelector("style").textContent;
    if (style.textContent !== wanted) style.textContent = wanted;
    update(document.querySelector("main"), page.querySelector("main"));
    if (focused !== null && document.activeElement === document.body)
      [...document.links].find((link) => link.getAttribute("href") === focused)?.focus();
  };

  const ask = async () => {
    if (document.hidden || asking) return;
    asking = true;
    try {
      const revision = document.documentElement.dataset.revision;
      const response = await fetch(location.pathname, { cache: "no-store", headers: { "If-None-Match": `"${revision}"` } });
      if (response.status === 200) show(await response.text());
      if (response.status === 200 || response.status === 304) report("live", "Live");
      else if (response.status === 403) report("ended", "Not live: open the address that kernelscape serve printed");
      else report("failed", `Not live: the server reports "${response.statusText}"`);
    } catch {
      const time = new Date().toLocaleTimeString();
      report("lost", `Not live since ${time}: kernelscape serve does not answer`);
    } finally {
      asking = false;
    }
  };

  document.addEventListener("visibilitychange", ask);
  setInterval(ask, period);
  ask();
})();
