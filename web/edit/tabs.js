/** Tabs: one of several panels is shown. Arrow keys change the tab. */

import { el, freshId } from "../parts/dom.js";

/**
 * @param {string} label the name of the group
 * @param {{title: string, element: HTMLElement}[]} panels
 */
export function createTabs(label, panels) {
  const tabs = panels.map(({ title, element }, index) => {
    element.id ||= freshId("panel");
    element.setAttribute("role", "tabpanel");
    const tab = el("button", {
      id: freshId("tab"), type: "button", role: "tab", "aria-controls": element.id, onclick: () => choose(index),
    }, title);
    element.setAttribute("aria-labelledby", tab.id);
    return tab;
  });
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": label, onkeydown: onKey }, tabs);

  function choose(chosen, { focus = false } = {}) {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
      panels[index].element.hidden = index !== chosen;
    });
    if (focus) tabs[chosen].focus();
  }

  function onKey(event) {
    const at = tabs.indexOf(event.target);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    choose((next + tabs.length) % tabs.length, { focus: true });
  }

  choose(0);
  return { element: el("div", { class: "stack" }, list, panels.map(({ element }) => element)), choose };
}
