/**
 * A game that a player plays, at a pace, with a person who may interfere.
 *
 * The rules run in the page and the thinking in the worker. A move is first decided, then shown for
 * the rest of its time, then played; so a paused game always shows what comes next. The session
 * draws nothing: it reports through the handlers it was given.
 */

import { playTurbo, rules, think } from "../engine.js";

/** How often the board is drawn in turbo, in milliseconds. */
const TURBO_FRAME = 100;
/** How long a batch of turbo turns may hold up the page, in milliseconds. */
const TURBO_SLICE = 40;
/** How many turns of the worker may wait to be shown. */
const BACKLOG = 5000;
/** The time over which moves per second are measured, in milliseconds. */
const METER = 2000;

const DIRECTIONS = ["up", "right", "down", "left"];

/**
 * What a session reports. Every handler is optional.
 *
 * @typedef {object} Handlers
 * @property {(state: object) => void} onStart a new game
 * @property {(turn: object, state: object) => void} onTurn one move was played
 * @property {(state: object) => void} onJump many moves were played, in turbo
 * @property {(decision: object|null, done: boolean) => void} onDecision what the player thinks
 * @property {() => void} onStatus running, thinking, turbo or who plays changed
 * @property {(sentence: string) => void} onError the player or the engine failed
 * @property {(reason: "over"|"until"|"gave-up") => void} onEnd the game stopped by itself
 */
export class Session {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    this.spec = "auto";
    this.delay = 300;
    this.running = false;
    this.stepping = false;
    this.turbo = false;
    this.thinking = false;
    this.personTurns = 0;
    this.until = 0;
    this.state = null;
    this.decision = null;
    /** The spec that really played last, and the hash of its network; null before its first move. */
    this.played = null;
    this.network = null;
    this.stopped = null;
    this.abort = null;
    this.wake = null;
    this.lastMove = 0;
    this.drawn = 0;
    this.meter = [];
  }

  /**
   * Starts a game.
   * @param {object} request `{do: "new", seed, ...}` or `{do: "load", text}`
   * @param {{until?: number}} [options] the tile to stop at
   */
  start(request, { until = 0 } = {}) {
    const state = rules.call(request);
    this.halt();
    if (this.state) rules.call({ do: "drop", game: this.state.game });
    const unplayed = { personTurns: 0, played: null, network: null };
    Object.assign(this, { state, until, ...unplayed, stopped: null, decision: null, meter: [] });
    this.handlers.onStart?.(state);
    this.handlers.onDecision?.(null, false);
    this.handlers.onStatus?.();
    if (state.ending) this.#stop("over");
  }

  /** Another player from here on. */
  setPlayer(spec) {
    if (spec === this.spec) return;
    this.spec = spec;
    if (!this.state) return;
    this.#forget();
    if (this.stopped === "gave-up") this.stopped = null;
    if (this.running || this.abort) this.#drive();
  }

  setDelay(ms) {
    this.delay = ms;
    // A long wait must not outlast the change.
    this.wake?.();
  }

  /** The player plays on. A thought that is under way is kept. */
  play({ turbo = false } = {}) {
    if (!this.canMove) return;
    const wasTurbo = this.running && this.turbo;
    if (this.stopped === "until") this.until = 0;
    Object.assign(this, { running: true, turbo, stopped: null });
    this.#go(turbo || wasTurbo);
    this.handlers.onStatus?.();
  }

  /** The player stops after its thought, which is still shown. */
  pause() {
    const wasTurbo = this.#leave();
    this.stepping = false;
    if (wasTurbo) this.#drive();
    else this.wake?.();
    this.handlers.onStatus?.();
  }

  /** Stops everything, the thinking included. */
  halt() {
    this.abort?.abort();
    this.#leave();
    Object.assign(this, { abort: null, thinking: false, stepping: false });
    this.handlers.onStatus?.();
  }

  /** Thinks about the position without playing, to show the values. */
  look() {
    if (this.canMove && !this.abort) this.#drive();
  }

  /** Plays one move of the player. */
  step() {
    if (!this.canMove) return;
    const wasTurbo = this.#leave();
    Object.assign(this, { stepping: true, stopped: null });
    this.#go(wasTurbo);
    this.handlers.onStatus?.();
  }

  /** A move of the person. Takes the game over; an illegal move changes nothing else. */
  personMove(direction) {
    if (!this.state || this.state.ending) return false;
    this.stepping = false;
    if (this.running) this.pause();
    if (!this.state.legal.includes(direction)) return false;
    if (this.stopped === "gave-up") this.stopped = null;
    this.#play(direction);
    this.personTurns += 1;
    this.#drive();
    return true;
  }

  /** The replay so far as text. */
  replay() {
    const note = this.personTurns > 0 ? `A person played ${this.personTurns} of the moves.` : undefined;
    const { state: { game }, network } = this;
    return rules.call({ do: "save", game, player: this.played ?? this.spec, network, note }).replay;
  }

  get canMove() {
    return Boolean(this.state) && !this.state.ending;
  }

  /** Moves per second over the last two seconds, or null while that is unknown. */
  movesPerSecond() {
    const [first, last] = [this.meter[0], this.meter.at(-1)];
    if (!first || last.at - first.at < 400) return null;
    return ((last.turns - first.turns) * 1000) / (last.at - first.at);
  }

  /** Lets the loop see what changed, or starts it. */
  #go(anew) {
    if (anew || !this.abort) this.#drive();
    else this.wake?.();
  }

  /** Starts the loop, and stops the one before. */
  async #drive() {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    try {
      await this.#loop(abort.signal);
    } catch (error) {
      if (error.name === "AbortError" || this.abort !== abort) return;
      this.#leave();
      this.handlers.onError?.(error.message);
    } finally {
      if (this.abort === abort) {
        this.abort = null;
        this.#setThinking(false);
        this.handlers.onStatus?.();
      }
    }
  }

  async #loop(signal) {
    while (this.canMove && !signal.aborted) {
      if (this.running && this.turbo) {
        await this.#playTurbo(signal);
        continue;
      }
      const decision = await this.#decide(signal);
      if (this.running && !this.stepping) await this.#waitForTurn(signal);
      if (!this.running && !this.stepping) return;
      this.stepping = false;
      if (!DIRECTIONS.includes(decision.action)) {
        this.#stop("gave-up");
        return;
      }
      this.#keepPlayer(decision);
      this.#play(decision.action);
    }
  }

  /** The player's decision in the position; a known one is not thought about again. */
  async #decide(signal) {
    if (this.decision) return this.decision;
    this.#setThinking(true);
    const { position } = this;
    const onUpdate = (decision) => {
      if (!signal.aborted) this.handlers.onDecision?.(decision, false);
    };
    const decision = await think({ spec: this.spec, position, onUpdate, signal });
    signal.throwIfAborted();
    this.decision = decision;
    this.#setThinking(false);
    this.handlers.onDecision?.(decision, true);
    return decision;
  }

  /** Keeps who played. A server that does not say so was asked for the spec. */
  #keepPlayer({ player = this.spec, fingerprint = null }) {
    Object.assign(this, { played: player, network: fingerprint });
  }

  get position() {
    return rules.call({ do: "position", game: this.state.game });
  }

  #play(direction) {
    const { turn, state } = rules.call({ do: "play", game: this.state.game, move: direction });
    this.state = state;
    this.decision = null;
    this.lastMove = performance.now();
    this.#count();
    this.handlers.onTurn?.(turn, state);
    this.#stopIfDone();
  }

  async #playTurbo(signal) {
    this.#forget();
    this.#setThinking(true);
    const before = this.state.turns;
    const stop = new AbortController();
    const queue = createQueue((turns) => this.#replayTurns(turns, signal, stop), stop);
    const onTurns = (turns, { decision }) => {
      if (decision && !signal.aborted) this.#keepPlayer(decision);
      queue.push(turns);
    };
    try {
      const both = AbortSignal.any([signal, stop.signal]);
      await playTurbo({ spec: this.spec, position: this.position, onTurns, signal: both });
    } catch (error) {
      if (error.name !== "AbortError" || signal.aborted) throw error;
    }
    await queue.done();
    signal.throwIfAborted();
    this.#jump();
    this.#stopIfDone();
    if (this.state.turns === before) throw new Error("The player did not play a move.");
  }

  /** Plays the worker's turns in the page's own game, which must come to the same. */
  async #replayTurns(turns, signal, stop) {
    let from = performance.now();
    for (const { move, spawn } of turns) {
      if (signal.aborted || this.isDone) return;
      const { turn, state } = rules.call({ do: "play", game: this.state.game, move });
      if (turn.spawn?.cell !== spawn?.cell || turn.spawn?.tile !== spawn?.tile) {
        throw new Error("The page and the worker disagree about the next tile.");
      }
      this.state = state;
      if (this.isDone) stop.abort();
      const now = performance.now();
      if (now - this.drawn >= TURBO_FRAME) this.#jump();
      if (now - from < TURBO_SLICE) continue;
      await nextFrame();
      from = performance.now();
    }
  }

  /** Whether the game is over or has the tile it was played for. */
  get isDone() {
    return Boolean(this.state.ending) || (this.until > 0 && this.state.largest >= this.until);
  }

  /** Stops playing; tells whether it was in turbo, when the board may be behind the game. */
  #leave() {
    const wasTurbo = this.running && this.turbo;
    Object.assign(this, { running: false, turbo: false });
    if (wasTurbo) this.#jump();
    return wasTurbo;
  }

  #jump() {
    this.drawn = performance.now();
    this.lastMove = this.drawn;
    this.#count();
    this.handlers.onJump?.(this.state);
  }

  #count() {
    const now = performance.now();
    this.meter.push({ at: now, turns: this.state.turns });
    while (this.meter.length > 2 && this.meter[1].at < now - METER) this.meter.shift();
  }

  #stopIfDone() {
    if (this.isDone) this.#stop(this.state.ending ? "over" : "until");
  }

  #stop(reason) {
    if (this.stopped === reason) return;
    Object.assign(this, { stopped: reason, running: false, turbo: false });
    this.handlers.onEnd?.(reason);
    this.handlers.onStatus?.();
  }

  #forget() {
    this.decision = null;
    this.handlers.onDecision?.(null, false);
  }

  #setThinking(thinking) {
    if (this.thinking === thinking) return;
    this.thinking = thinking;
    this.handlers.onStatus?.();
  }

  /** Waits until the next move is due; a change of the speed or a pause ends the wait. */
  async #waitForTurn(signal) {
    for (;;) {
      const left = this.lastMove + this.delay - performance.now();
      if (!this.running) return;
      if (left <= 0) {
        // As fast as it can be drawn: one move a frame.
        if (this.delay < 20) await nextFrame();
        signal.throwIfAborted();
        return;
      }
      await new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, left);
        this.wake = end;
        signal.addEventListener("abort", end);
      });
      if (!signal.aborted) this.wake = null;
      signal.throwIfAborted();
    }
  }
}

/**
 * Runs batches of turns one after another. When the page cannot keep up, `stop` holds the worker;
 * it starts again once the queue is empty. The first error stops everything and is thrown by
 * `done`.
 */
function createQueue(run, stop) {
  let last = Promise.resolve();
  let waiting = 0;
  let failure = null;
  const take = async (batch) => {
    try {
      if (!failure) await run(batch);
    } catch (error) {
      failure = error;
      stop.abort();
    }
    waiting -= batch.length;
  };
  const push = (batch) => {
    waiting += batch.length;
    if (waiting > BACKLOG) stop.abort();
    last = last.then(() => take(batch));
  };
  const done = async () => {
    await last;
    if (failure) throw failure;
  };
  return { push, done };
}

/** The next frame; in a hidden tab, which has none, a moment later. */
function nextFrame() {
  return new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, 200);
  });
}
