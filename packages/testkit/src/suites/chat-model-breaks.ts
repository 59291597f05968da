import { AgentError } from "@smith/contract/error";
import { expect } from "vitest";
import type { Case } from "./chat-model-scene.ts";

const kindOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    (reply) => `answered ${JSON.stringify(reply)}`,
    (error: unknown) => error,
  );
  return thrown instanceof AgentError ? thrown.kind : `no AgentError: ${String(thrown)}`;
};

const BROKEN = ["transport", "protocol"];

const statusCase = (status: number, retryable: boolean): Case => ({
  title: `L30 status ${status} is a transport error, ${retryable ? "worth" : "not worth"} another try; the model itself makes none`,
  steps: [{ status }],
  async work({ chat, llm }) {
    await expect(chat()).rejects.toSatisfy(
      (error) => error instanceof AgentError && error.kind === "transport" && error.retryable === retryable,
    );
    expect(llm.requests.length).toBe(1);
  },
});

const cutCase = (cut: "close" | "reset" | "mid_event"): Case => ({
  title: `B31 an answer cut off (${cut}) is an error; what was shown before stays`,
  steps: [{ cut, say: "Half an ans" }],
  async work({ chat, shown, llm, streams }) {
    expect(BROKEN).toContain(await kindOf(chat()));
    // A socket destroyed at once may take the last bytes with it.
    if (cut === "reset") expect("Half an ans").toContain(shown("text"));
    else expect(shown("text")).toBe(streams ? "Half an ans" : "");
    expect(llm.requests.length).toBe(1);
  },
});

const isCancelledWith = (reason: string) => (error: unknown) =>
  error instanceof AgentError && error.kind === "cancelled" && error.message === reason;

/** What becomes of answers that fail, break off, or are no longer wanted. */
export const BREAKS: readonly Case[] = [
  statusCase(500, true),
  statusCase(503, true),
  statusCase(429, true),
  statusCase(401, false),
  statusCase(404, false),
  cutCase("close"),
  cutCase("reset"),
  cutCase("mid_event"),
  {
    title: "B31 a call whose arguments were cut off is never handed out",
    steps: [{ cut: "close", call: [{ id: "c1", name: "write", args: { path: "o.txt" } }] }],
    async work({ chat }) {
      expect(BROKEN).toContain(await kindOf(chat()));
    },
  },
  {
    title: "fault 143 cancel before the first byte rejects with its reason and closes the connection at once",
    steps: [{ stall: true, headers: false }],
    async work({ chat, cancel, llm }) {
      const chatting = chat();
      const request = await llm.received(1);
      cancel.request("ctrl-c");
      await expect(chatting).rejects.toSatisfy(isCancelledWith("ctrl-c"));
      await request.closed;
    },
  },
  {
    title:
      "L19 fault 143 cancel in mid-stream rejects with its reason, keeps what was shown, and closes the connection at once",
    steps: [{ stall: true, say: "Hel" }],
    only_streaming: true,
    async work({ chat, cancel, llm, shown, untilShown }) {
      const chatting = chat();
      const request = await llm.received(1);
      await untilShown("Hel");
      cancel.request("ctrl-c");
      await expect(chatting).rejects.toSatisfy(isCancelledWith("ctrl-c"));
      await request.closed;
      expect(shown("text")).toBe("Hel");
    },
  },
  {
    title: "cancelled beforehand, nothing is asked",
    steps: [],
    async work({ chat, cancel, llm }) {
      cancel.request("too late");
      await expect(chat()).rejects.toSatisfy(isCancelledWith("too late"));
      expect(llm.requests.length).toBe(0);
    },
  },
];
