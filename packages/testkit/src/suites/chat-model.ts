import { describe, test } from "vitest";
import { ANSWERS } from "./chat-model-answers.ts";
import { BREAKS } from "./chat-model-breaks.ts";
import { REQUESTS } from "./chat-model-requests.ts";
import { type ChatModelSuiteOptions, type MakeChatModel, playCase } from "./chat-model-scene.ts";

export type { ChatModelSuiteOptions, MakeChatModel };

/** What every chat model must do, tried through real HTTP. */
export function chatModelSuite(name: string, make: MakeChatModel, options: ChatModelSuiteOptions = {}): void {
  describe(`${name} keeps the chat model's word`, () => {
    for (const each of [...ANSWERS, ...BREAKS, ...REQUESTS]) {
      if (each.only_streaming === true && options.streams === false) continue;
      const gap = Object.entries(options.gaps ?? {}).find(([title]) => each.title.startsWith(title));
      if (gap === undefined) test(each.title, () => playCase(each, make, options));
      // One that is closed shows: it is expected to fail.
      else test.fails(`a known gap, ${gap[1]}: ${each.title}`, () => playCase(each, make, options));
    }
  });
}
