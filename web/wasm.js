/**
 * The bridge to the WebAssembly module: text goes in, text comes out.
 *
 * The page thread and the worker each load an instance of their own with `load`.
 * @module
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What the engine refused to do, in one sentence. */
export class EngineError extends Error {
  /**
   * @param {string} message the sentence
   * @param {boolean} fatal whether the instance was lost; its handles are gone
   */
  constructor(message, fatal = false) {
    super(message);
    this.name = "EngineError";
    this.fatal = fatal;
  }
}

/** One instance of the module. A trap replaces the instance; all handles are then unknown. */
export class Engine {
  #module;
  #exports;
  /** The message of the panic that stopped the instance. */
  #panic = "";

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.#module = module;
    this.#start();
  }

  #start() {
    const panicked = (start, length) => {
      this.#panic = this.#read(start >>> 0, length);
    };
    const imports = { env: { now: () => performance.now(), panicked } };
    this.#panic = "";
    this.#exports = new WebAssembly.Instance(this.#module, imports).exports;
  }

  #read(start, length) {
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, start, length));
  }

  #put(bytes) {
    const start = this.#exports.alloc(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, start, bytes.length).set(bytes);
    return start;
  }

  /**
   * Answers a request.
   * @param {object} request see the list of requests in docs
   * @param {Uint8Array} [bytes] binary input
   * @returns {object} the answer
   * @throws {EngineError} with the engine's sentence
   */
  call(request, bytes) {
    try {
      const answer = JSON.parse(this.text(JSON.stringify(request), bytes));
      if (answer.error !== undefined) throw new EngineError(answer.error);
      return answer;
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const why = this.#panic || error.message;
      this.#start();
      throw new EngineError(`The engine stopped at '${request.do}': ${why}.`, true);
    }
  }

  /**
   * Answers a request with the text of the answer.
   * @param {string} request
   * @param {Uint8Array} [bytes] binary input
   * @returns {string}
   */
  text(request, bytes) {
    const { call, answer, free } = this.#exports;
    const text = encoder.encode(request);
    const start = this.#put(text);
    const input = bytes ? this.#put(bytes) : 0;
    const length = call(start, text.length, input, bytes ? bytes.length : 0) >>> 0;
    free(start, text.length);
    return this.#read(answer() >>> 0, length);
  }

  /**
   * The binary result of the last call.
   * @returns {Uint8Array} a copy
   */
  data() {
    const { data, data_len: length, memory } = this.#exports;
    return new Uint8Array(memory.buffer, data() >>> 0, length() >>> 0).slice();
  }
}

/**
 * Loads the module.
 * @param {string | URL} url
 * @returns {Promise<Engine>}
 */
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new EngineError(`The engine could not be loaded (${response.status}).`);
  // Some hosts do not know the type of the file; streaming needs it.
  const streams = response.headers.get("content-type")?.startsWith("application/wasm");
  const module = streams
    ? await WebAssembly.compileStreaming(response)
    : await WebAssembly.compile(await response.arrayBuffer());
  return new Engine(module);
}
