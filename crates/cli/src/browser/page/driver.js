// Runs inside a page: finds out how it keeps its game, reads the game and plays it.
//
// The command installs this file once per page load and then makes one short call per step. After
// a reload the object is gone, and the command installs it again.
//
// A model is one way in which pages keep a game. It has `find()`, which returns the reader and
// player of this page or null, and `looksFor`, its words in the message about an unknown page.
// What `find()` returns:
//   how         a few words for people
//   read()      { rows, score, end } or null while there is nothing to read;
//               end is "playing", "won" (the page waits for an answer) or "over"
//   slide(d)    plays a move without a key event, if the page offers that; optional
//   restart()   starts a new game; true if the page could be told
//   resume()    continues after the winning tile; true if the page could be told
//   isDrawn     the state is read from what is drawn, so it must come to rest first; optional
(() => {
  const DIRECTIONS = [
    { name: "up", key: "ArrowUp", code: 38 },
    { name: "right", key: "ArrowRight", code: 39 },
    { name: "down", key: "ArrowDown", code: 40 },
    { name: "left", key: "ArrowLeft", code: 37 },
  ];

  // Milliseconds after which a page has drawn a move.
  const DRAWING = 100;

  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

  function click(selector) {
    const found = document.querySelector(selector);
    if (found) found.click();
    return found !== null;
  }

  // A button by its words, for pages whose class names are unknown.
  function clickWords(words) {
    const all = document.querySelectorAll("button, a, [role=button], input[type=button]");
    const found = [...all].find((one) => words.test((one.innerText || one.value || "").trim()));
    if (found) found.click();
    return found !== undefined;
  }

  const NEW_GAME = /^(new game|restart|try again|play again)\b/i;
  const KEEP_GOING = /^(keep (going|playing)|continue)\b/i;
  const restartByButton = () =>
    click(".restart-button") || click(".retry-button") || clickWords(NEW_GAME);
  const resumeByButton = () => click(".keep-playing-button") || clickWords(KEEP_GOING);

  // The value of a cell, whatever it is wrapped in.
  const valueOf = (cell) => {
    if (cell === null || cell === undefined) return 0;
    return typeof cell === "object" ? Number(cell.value) || 0 : Number(cell) || 0;
  };

  // The original keeps columns: cells[x][y].
  const rowsOfColumns = (cells) => cells[0].map((_, y) => cells.map((column) => valueOf(column[y])));
  const isMatrix = (cells) =>
    Array.isArray(cells) && cells.length > 0 && cells.every((line) => Array.isArray(line));

  const original = {
    looksFor: "the original's GameManager object, on the window or behind its keys",
    find() {
      const manager = exposedManager() || capturedManager();
      if (!manager) return null;
      // Some builds replace the method keepPlaying by a flag, as the original does.
      const isResumed = () => manager.keepPlaying === true;
      return {
        how: "the page's own game object",
        read() {
          const won = manager.won && !isResumed();
          const end = manager.over ? "over" : won ? "won" : "playing";
          return { rows: rowsOfColumns(manager.grid.cells), score: manager.score, end };
        },
        slide: (direction) => manager.move(direction),
        restart() {
          if (typeof manager.restart !== "function") return restartByButton();
          manager.restart();
          return true;
        },
        resume() {
          if (!resumeByButton() || !isResumed()) {
            manager.keepPlaying = true;
            manager.actuator?.continueGame?.();
          }
          return true;
        },
      };
    },
  };

  function isManager(value) {
    return (
      value !== null &&
      typeof value === "object" &&
      isMatrix(value.grid?.cells) &&
      typeof value.move === "function" &&
      typeof value.score === "number"
    );
  }

  // Pages that keep the object on the window, or one step below it.
  function exposedManager() {
    for (const name of Object.keys(window)) {
      try {
        const value = window[name];
        if (isManager(value)) return value;
        const inner = value?.gameManager ?? value?.manager ?? value?.game;
        if (isManager(inner)) return inner;
      } catch {
        // A property that may not be read is not the game.
      }
    }
    return null;
  }

  // The original page drops its object, but the class is there. One key event reaches the object;
  // it is told that the game is over, so that nothing moves.
  function capturedManager() {
    const prototype = window.GameManager?.prototype;
    if (typeof prototype?.isGameTerminated !== "function") return null;
    let manager = null;
    const own = prototype.isGameTerminated;
    prototype.isGameTerminated = function () {
      manager = this;
      return true;
    };
    try {
      pressInPage(0);
    } finally {
      prototype.isGameTerminated = own;
    }
    return isManager(manager) ? manager : null;
  }

  // All values of the local storage that are JSON objects.
  function* stored() {
    for (const key of Object.keys(localStorage)) {
      try {
        const value = JSON.parse(localStorage.getItem(key));
        if (value !== null && typeof value === "object") yield [key, value];
      } catch {
        // Not JSON.
      }
    }
  }

  const message = () => document.querySelector(".game-message");
  const saysOver = () => message()?.classList.contains("game-over") ?? false;
  const saysWon = () => message()?.classList.contains("game-won") ?? false;

  const storage = {
    looksFor: "a saved game with grid.cells in the local storage, as the original writes it",
    find() {
      const entry = [...stored()].find(([, value]) => isMatrix(value.grid?.cells));
      if (!entry) return null;
      const [key] = entry;
      let resumed = false;
      return {
        how: `the saved game '${key}' in the local storage`,
        read() {
          const text = localStorage.getItem(key);
          if (text === null) {
            // The original removes the saved game when the game is over; the tiles stay.
            const drawn = saysOver() ? readTiles() : null;
            return drawn && { ...drawn, end: "over" };
          }
          const state = JSON.parse(text);
          const won = state.won && state.keepPlaying !== true && !resumed;
          const end = state.over ? "over" : won ? "won" : "playing";
          return { rows: rowsOfColumns(state.grid.cells), score: state.score, end };
        },
        restart() {
          resumed = false;
          return restartByButton();
        },
        // The page saves the answer only with the next move.
        resume: () => (resumed = resumeByButton()),
      };
    },
  };

  const plain = {
    looksFor: "a saved game with a board of rows in the local storage",
    find() {
      const isSide = (length) => length >= 2 && length <= 8;
      const isBoard = (board) =>
        isMatrix(board) && isSide(board.length) && board.every((row) => isSide(row.length));
      const entry = [...stored()].find(([, value]) => isBoard(value.board));
      if (!entry) return null;
      const [key] = entry;
      return {
        how: `the saved board '${key}' in the local storage`,
        read() {
          const state = JSON.parse(localStorage.getItem(key));
          if (!state) return null;
          const over = state.over || state.gameOver || saysOver();
          const end = over ? "over" : saysWon() ? "won" : "playing";
          return { rows: state.board.map((row) => row.map(valueOf)), score: state.score ?? null, end };
        },
        restart: restartByButton,
        resume: resumeByButton,
      };
    },
  };

  const store = {
    looksFor: "a module that exports a store with subscribe, move and reset, as play2048.co has it",
    async find() {
      const found = await findStore();
      if (!found) return null;
      let state = null;
      found.subscribe((now) => (state = now));
      if (!isMatrix(state?.board)) return null;
      const ends = { gameWon: "won", gameOver: "over" };
      return {
        how: "the page's module store",
        read: () => ({
          rows: state.board.map((row) => row.map(valueOf)),
          score: state.score,
          end: ends[state.state] ?? "playing",
        }),
        slide: (direction) => found.move(DIRECTIONS[direction].name),
        restart() {
          found.reset();
          return true;
        },
        resume() {
          if (typeof found.continueAfterWin !== "function") return resumeByButton();
          found.continueAfterWin();
          return true;
        },
      };
    },
  };

  // Importing a module again gives the instance that the page uses.
  async function findStore() {
    const scripts = [...document.querySelectorAll("script[type=module][src]")].map((one) => one.src);
    const preloaded = [...document.querySelectorAll("link[rel=modulepreload]")].map((one) => one.href);
    const loaded = performance.getEntriesByType("resource").map((one) => one.name);
    const isOwn = (url) => new URL(url, location.href).origin === location.origin;
    const isScript = (url) => /\.m?js($|\?)/.test(url);
    const chunks = loaded.filter((url) => isOwn(url) && isScript(url));
    // Only if the page has modules at all: a classic script must not run a second time.
    const urls = scripts.length + preloaded.length === 0 ? [] : [...scripts, ...preloaded, ...chunks];
    const classic = new Set([...document.querySelectorAll("script[src]:not([type=module])")].map((one) => one.src));
    const isStore = (value) =>
      value !== null &&
      typeof value === "object" &&
      ["subscribe", "move", "reset"].every((name) => typeof value[name] === "function");
    for (const url of new Set(urls)) {
      if (classic.has(url)) continue;
      try {
        const found = Object.values(await import(url)).find(isStore);
        if (found) return found;
      } catch {
        // Not a module.
      }
    }
    return null;
  }

  const tiles = {
    looksFor: "tile elements with the classes tile and tile-position-x-y",
    find() {
      if (!document.querySelector(".tile-container, .grid-container .grid-row")) return null;
      return {
        how: "the tile elements of the page",
        isDrawn: true,
        read() {
          const drawn = readTiles();
          return drawn && { ...drawn, end: saysOver() ? "over" : saysWon() ? "won" : "playing" };
        },
        restart: restartByButton,
        resume: resumeByButton,
      };
    },
  };

  // The board as drawn. Both sources of a merge stay under its result, which is the larger one.
  function readTiles() {
    const lines = document.querySelectorAll(".grid-row");
    const height = lines.length;
    const width = height ? lines[0].querySelectorAll(".grid-cell").length : 0;
    if (!width) return null;
    const rows = Array.from({ length: height }, () => Array(width).fill(0));
    for (const tile of document.querySelectorAll(".tile")) {
      const place = /tile-position-(\d+)-(\d+)/.exec(tile.className);
      const value = Number((tile.querySelector(".tile-inner") ?? tile).textContent) || 0;
      if (!place || place[2] > height || place[1] > width) continue;
      const [x, y] = [place[1] - 1, place[2] - 1];
      rows[y][x] = Math.max(rows[y][x], value);
    }
    const text = document.querySelector(".score-container")?.firstChild?.textContent;
    const score = text === undefined ? null : Number(text.replace(/[^0-9]/g, ""));
    return { rows, score };
  }

  function pressInPage(direction) {
    const { key, code } = DIRECTIONS[direction];
    for (const type of ["keydown", "keyup"]) {
      const event = new KeyboardEvent(type, { key, code: key, bubbles: true, cancelable: true });
      // Older pages read these, which the constructor does not set everywhere.
      Object.defineProperty(event, "keyCode", { get: () => code });
      Object.defineProperty(event, "which", { get: () => code });
      (document.body ?? document.documentElement).dispatchEvent(event);
    }
  }

  // Buttons of consent dialogs that may cover a page.
  const CONSENT = [
    ".fc-cta-consent",
    "#onetrust-accept-btn-handler",
    ".qc-cmp2-summary-buttons button[mode=primary]",
    "[data-testid=uc-accept-all-button]",
    ".cc-allow",
  ];

  const MODELS = { object: original, storage, board: plain, store, tiles };
  let page = null;
  // What the command was told last.
  let told = null;

  function tell(state) {
    told = JSON.stringify(state);
    return state;
  }

  // Reads until the game differs from what was told last, for at most `ms` milliseconds. Most
  // pages have moved already: their answer needs no promise, which is faster.
  function changed(ms) {
    const state = page.read();
    const moved = !page.isDrawn && state !== null && JSON.stringify(state) !== told;
    return moved ? tell(state) : changing(ms);
  }

  // The same, looking again and again.
  async function changing(ms) {
    const end = performance.now() + ms;
    for (;;) {
      const state = await settled();
      if (state !== null && JSON.stringify(state) !== told) return tell(state);
      if (performance.now() >= end) return tell(state);
      await sleep(2);
    }
  }

  // The game. A drawn one must look the same twice, some frames apart.
  async function settled() {
    for (;;) {
      const state = page.read();
      if (!page.isDrawn) return state;
      await sleep(50);
      if (JSON.stringify(page.read()) === JSON.stringify(state)) return state;
    }
  }

  // The first model that fits, which becomes that of the page.
  async function firstOf(names) {
    for (const name of names) {
      try {
        page = await MODELS[name].find();
        const state = page?.read();
        if (state) return { model: name, how: page.how, state: tell(state) };
      } catch {
        // This page does not allow what the model needs.
      }
    }
    page = null;
    return null;
  }

  const calls = {
    // Chooses a model: `names` are tried in their order. The search in modules takes time, in which
    // a page may have loaded its game. Then a better model than the drawn tiles fits.
    async probe(names) {
      let found = await firstOf(names);
      if (found && page.isDrawn) found = await firstOf(names);
      return found ?? { looked: names.map((name) => MODELS[name].looksFor), title: document.title };
    },
    read: () => (page.isDrawn ? settled().then(tell) : tell(page.read())),
    changed,
    slide(direction, ms) {
      if (page.slide) page.slide(direction);
      else pressInPage(direction);
      return changed(ms);
    },
    // A page draws its message some frames after the move. An earlier answer would leave the
    // message on the board.
    restart: () => sleep(DRAWING).then(() => page.restart()),
    resume: () => sleep(DRAWING).then(() => page.resume()),
    // Answers the dialogs that cover a page; how many there were.
    clear: () => CONSENT.filter(click).length,
  };

  window.__lab2048 = calls;
})();
