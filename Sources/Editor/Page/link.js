// SPDX-License-Identifier: Apache-2.0

// The connection to the server: commands go out, messages come in. It is made anew when it breaks.

import { model } from "./model.js";

const listeners = new Map();
let socket = null;
let delay = 250;
let greet = () => {};

/** Calls `listener` with every message of a type; `open` and `closed` tell of the connection itself. */
export function on(type, listener) {
  if (!listeners.has(type)) listeners.set(type, []);
  listeners.get(type).push(listener);
}

function tell(type, message) {
  for (const listener of listeners.get(type) ?? []) listener(message);
}

/** Connects; `hello` is called whenever the connection is there. */
export function connect(hello) {
  greet = hello ?? greet;
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.addEventListener("open", () => {
    delay = 250;
    tell("open");
    greet();
  });
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    tell(message.type, message);
  });
  socket.addEventListener("close", async () => {
    // Another program at the same address does not know this page.
    const answer = await fetch("/", { cache: "no-store" }).catch(() => null);
    if (answer?.status === 403) return tell("refused");
    tell("closed");
    setTimeout(connect, delay);
    delay = Math.min(delay * 2, 4000);
  });
}

/**
 * Sends a command, for the movie that is shown: one that is being opened is another. Without a connection it is refused,
 * which the page says.
 */
export function send(name, values = {}) {
  if (socket?.readyState !== WebSocket.OPEN) {
    tell("failure", { message: "the editor's program does not answer", remedy: "start it again: what was edited is in its journal" });
    return false;
  }
  socket.send(JSON.stringify({ name, movie: model.document?.movie, ...values }));
  return true;
}

const text = new TextDecoder();

/** The description and the bytes of an answer that has both. */
export function taken(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(text.decode(new Uint8Array(buffer, 4, length)));
  return { head, bytes: new Uint8Array(buffer, 4 + length) };
}
