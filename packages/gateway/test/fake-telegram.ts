import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Sent {
  readonly method: string;
  readonly chat_id: number | string;
  readonly text: string;
  readonly message_id: number;
  readonly reply_parameters?: { readonly message_id: number };
}

/** Telegram's Bot API on this machine: it refuses what the real one refuses. */
export interface FakeTelegram {
  readonly url: string;
  /** What was sent and edited, in order. */
  readonly sent: readonly Sent[];
  /** Offsets that were asked for. */
  readonly offsets: readonly number[];
  /** A text, or other fields of a message, of a user in a chat. */
  push(message: string | object, from?: { user?: number; chat?: number; is_bot?: boolean; type?: string }): void;
  /** The next calls of a method are answered like this. */
  refuse(method: string, ...answers: readonly { code: number; description?: string; retry_after?: number }[]): void;
  /** Resolves as soon as so many messages were sent. */
  until(count: number): Promise<void>;
}

export async function fakeTelegram(token = "1:t"): Promise<FakeTelegram> {
  const updates: { update_id: number; message: object }[] = [];
  const [sent, offsets]: [Sent[], number[]] = [[], []];
  const refusals = new Map<string, { code: number; description?: string; retry_after?: number }[]>();
  let wake = () => {};
  const counting = new Set<() => void>();

  const answer = async (method: string, body: Record<string, never>): Promise<unknown> => {
    if (method === "getMe") return { id: 1, is_bot: true, first_name: "b", username: "smith_bot" };
    if (method === "getUpdates") {
      offsets.push(body["offset"] ?? 0);
      const fresh = () => updates.filter(({ update_id }) => update_id >= (body["offset"] ?? 0));
      if (fresh().length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          setTimeout(resolve, Number(body["timeout"]) * 1000).unref();
        });
      }
      return fresh();
    }
    const text = String(body["text"]);
    if (text.length > 4096 || text.trim() === "" || !text.isWellFormed())
      throw { code: 400, description: "Bad Request" };
    const message_id = body["message_id"] ?? sent.length + 1;
    sent.push({ method, ...body, text, message_id } as unknown as Sent);
    for (const look of counting) look();
    return { message_id, date: 0, chat: { id: body["chat_id"], type: "private" }, text };
  };

  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const [, bot, method = ""] = (request.url ?? "").split("/");
    const reply = (status: number, json: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(json));
    };
    const fail = ({
      code,
      description = "no",
      retry_after,
    }: {
      code: number;
      description?: string;
      retry_after?: number;
    }) =>
      reply(code, {
        ok: false,
        error_code: code,
        description,
        parameters: retry_after === undefined ? {} : { retry_after },
      });
    if (bot !== `bot${token}`) return fail({ code: 401, description: "Unauthorized" });
    const refusal = refusals.get(method)?.shift();
    if (refusal !== undefined) return fail(refusal);
    await answer(method, text === "" ? {} : JSON.parse(text)).then((result) => reply(200, { ok: true, result }), fail);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ sent, offsets },
    push(message, { user = 7, chat = user, is_bot = false, type = "private" } = {}) {
      const update_id = 100 + updates.length;
      const from = { id: user, is_bot, first_name: "u", username: `user${user}` };
      const fields = typeof message === "string" ? { text: message } : message;
      updates.push({
        update_id,
        message: { message_id: update_id, date: 0, from, chat: { id: chat, type }, ...fields },
      });
      wake();
    },
    refuse: (method, ...answers) => void refusals.set(method, [...answers]),
    until: (count) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (sent.length >= count) resolve();
        };
        counting.add(look);
        look();
      }),
  };
}
