/**
 * The form for a player and its parameters.
 *
 * The registry of the engine names the players, their parameters and the allowed values. The engine
 * also checks what was entered (`check`), so a mistake is shown in its own sentence. The fields and
 * the spec text show the same player; either can be edited.
 */

import { networks, rules } from "../engine.js";
import { el, freshId, setText } from "./dom.js";
import { joinSpec, splitSpec } from "./spec.js";
import { sentence } from "./words.js";

/**
 * Makes the form.
 *
 * @param {object} options
 * @param {object} options.registry the answer to the request `players`
 * @param {string} options.value the first spec
 * @param {(spec: string, check: object) => void} [options.onChange] called with a spec that the
 *   engine accepts, and with its answer to `check`
 * @param {(player: object) => boolean} [options.filter] which players are offered
 */
export function createPlayerForm({ registry, value, onChange, filter = isPlayable }) {
  const players = registry.players.filter(filter);
  const form = new PlayerForm(players, registry.evaluators, onChange);
  form.set(value);
  return { element: form.element, spec: () => form.spec, set: (spec) => form.set(spec) };
}

/** Whether the page can run a player: not a person, and not one that must be given a file. */
export function isPlayable(player) {
  const needsFile = (param) => param.kind === "file" && param.default === null;
  return !player.person && !player.params.some(needsFile);
}

class PlayerForm {
  constructor(players, evaluators, onChange) {
    this.players = players;
    this.evaluators = evaluators;
    this.onChange = onChange;
    this.spec = "";
    const ids = { name: freshId("player"), spec: freshId("spec"), error: freshId("spec-error") };
    this.name = el(
      "select",
      { id: ids.name, onchange: () => this.choosePlayer() },
      players.map(({ name }) => el("option", { value: name }, name)),
    );
    this.summary = el("p", { class: "players-summary muted" });
    this.text = el("input", {
      id: ids.spec,
      class: "players-spec",
      type: "text",
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
      "aria-describedby": ids.error,
      onchange: () => this.enterText(),
    });
    this.error = el("p", { id: ids.error, class: "problem", role: "alert" });
    this.params = el("div", { class: "players-params" });
    this.weightsTitle = el("summary");
    this.weights = el("div", { class: "players-params" });
    this.more = el("details", { class: "players-more" }, this.weightsTitle, this.weights);
    this.help = el("p", { class: "players-help muted", "aria-hidden": "true" });
    this.element = el(
      "div",
      { class: "players stack" },
      el("div", { class: "field" }, el("label", { for: ids.name }, "Player"), this.name),
      this.summary,
      this.params,
      this.more,
      this.help,
      el("div", { class: "field" }, el("label", { for: ids.spec }, "Spec"), this.text),
      this.error,
    );
    for (const event of ["focusin", "pointerover"]) {
      this.element.addEventListener(event, ({ target }) => this.explain(target));
    }
  }

  /**
   * Shows a spec. A wrong one stays in the text field with the engine's sentence, which is also
   * returned; "" for a right one.
   */
  set(text) {
    this.text.value = text;
    this.accept(text, { quiet: true });
    return this.error.textContent;
  }

  enterText() {
    this.accept(this.text.value.trim(), {});
  }

  choosePlayer() {
    this.accept(this.name.value, { keepFields: false });
  }

  /** Takes a spec over into fields and text if the engine accepts it. */
  accept(text, { quiet = false, keepFields = false }) {
    let check;
    try {
      check = rules.call({ do: "check", spec: text });
    } catch (error) {
      this.refuse(error.message);
      return;
    }
    const { name } = splitSpec(check.spec);
    if (!this.players.some((player) => player.name === name)) {
      this.refuse(`${name} cannot play in the page.`);
      return;
    }
    this.refuse("");
    const changed = check.spec !== this.spec;
    this.spec = check.spec;
    this.text.value = check.spec;
    if (!keepFields) this.showFields(check.spec);
    if (changed && !quiet) this.onChange?.(check.spec, check);
  }

  refuse(sentence) {
    setText(this.error, sentence);
    this.text.setAttribute("aria-invalid", String(sentence !== ""));
  }

  showFields(spec) {
    const { name, given } = splitSpec(spec);
    const player = this.players.find((each) => each.name === name);
    this.name.value = name;
    setText(this.summary, sentence(player.summary));
    const chooser = player.params.find((param) => param.kind === "evaluator");
    const evaluator = chooser && this.evaluatorOf(given.get(chooser.name) ?? chooser.default);
    const field = (param) => this.createField(param, given.get(param.name));
    this.params.replaceChildren(...player.params.map(field));
    this.weights.replaceChildren(...(evaluator?.params ?? []).map(field));
    this.more.hidden = this.weights.childElementCount === 0;
    if (evaluator) setText(this.weightsTitle, `Parameters of ${evaluator.name}`);
    setText(this.help, "");
    this.help.hidden = player.params.length === 0;
  }

  evaluatorOf(name) {
    return this.evaluators.find((evaluator) => evaluator.name === name);
  }

  /** The field of one parameter. An empty one means the default. */
  createField(param, given) {
    const [id, hint] = [freshId("param"), freshId("hint")];
    const input = inputOf(param, given, this.evaluators);
    input.id = id;
    input.dataset.param = param.name;
    input.setAttribute("aria-describedby", hint);
    input.addEventListener("change", () => this.enterField(param));
    const unit = param.unit ? el("span", { class: "muted" }, ` (${param.unit})`) : null;
    const text = helpOf(param);
    return el(
      "div",
      { class: "field players-param", "data-help": text },
      el("label", { for: id }, param.name, unit),
      input,
      el("span", { id: hint, class: "visually-hidden" }, text),
    );
  }

  enterField(param) {
    const given = new Map();
    for (const input of this.element.querySelectorAll("[data-param]")) {
      const text = textOf(input);
      if (text !== "") given.set(input.dataset.param, text);
    }
    const rebuild = param.kind === "evaluator";
    if (rebuild) this.dropForeign(given, param);
    this.text.value = joinSpec(this.name.value, given);
    this.accept(this.text.value, { keepFields: !rebuild });
  }

  /** Drops the parameters of the evaluator that was chosen before. */
  dropForeign(given, chooser) {
    const player = this.players.find((each) => each.name === this.name.value);
    const evaluator = this.evaluatorOf(given.get(chooser.name) ?? chooser.default);
    const known = new Set([...player.params, ...(evaluator?.params ?? [])].map(({ name }) => name));
    for (const name of given.keys()) if (!known.has(name)) given.delete(name);
  }

  explain(target) {
    const field = target instanceof Element ? target.closest("[data-help]") : null;
    if (field) setText(this.help, field.dataset.help);
  }
}

function inputOf(param, given, evaluators) {
  if (param.kind === "flag") return selectOf(["true", "false"], param, given);
  if (param.kind === "evaluator") {
    const usable = evaluators.filter(({ params }) => params.every((each) => each.default !== null));
    return selectOf(usable.map(({ name }) => name), param, given);
  }
  // The only files that the page can name are its networks.
  if (param.kind === "file" && networks.length > 0) {
    return selectOf([param.default, ...networks.map(({ name }) => name)], param, given);
  }
  if (param.values?.length > 0) return selectOf(param.values, param, given);
  const number = param.kind === "whole" || param.kind === "number";
  return el("input", {
    type: number ? "number" : "text",
    min: number ? param.least : null,
    max: number && Number(param.most) < 1e15 ? param.most : null,
    step: number ? (param.kind === "whole" ? 1 : "any") : null,
    inputmode: param.kind === "number" ? "decimal" : /^whole/.test(param.kind) ? "numeric" : null,
    autocomplete: "off",
    placeholder: param.default ?? "",
    ".value": given ?? "",
  });
}

function selectOf(values, param, given) {
  const all = given === undefined || values.includes(given) ? values : [given, ...values];
  const shown = (word) => (word === param.default ? `${word} (default)` : word);
  const select = el("select", { "data-default": param.default ?? "" });
  select.append(...all.map((word) => el("option", { value: word }, shown(word))));
  select.value = given ?? param.default;
  return select;
}

/** What a field adds to the spec; empty for the default. */
function textOf(input) {
  if (input.type === "number" && input.validity.badInput) return "?";
  const text = input.value.trim();
  return input.dataset.default === text ? "" : text;
}

function helpOf(param) {
  const fallback = param.default === null ? "" : `, default ${param.default}`;
  return `${param.name}: ${sentence(param.help)} ${sentence(param.allowed + fallback)}`;
}
