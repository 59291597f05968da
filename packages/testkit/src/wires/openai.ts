import { field, type Wire } from "./wire.ts";

/** What both of OpenAI's formats share. */
export const openAi: Pick<Wire, "modelOf" | "isStream" | "error"> = Object.freeze({
  modelOf: (body: unknown) => {
    const model = field(body, "model");
    return typeof model === "string" ? model : "scripted";
  },
  isStream: (body: unknown) => field(body, "stream") === true,
  error: (status: number, message: string) => ({
    error: { message, type: status < 500 ? "invalid_request_error" : "server_error", param: null, code: null },
  }),
});
