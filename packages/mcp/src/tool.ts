import { AgentError } from "@smith/contract/error";
import type { AnyTool, Tool, ToolOutcome } from "@smith/contract/tool";
import { z } from "zod";
import { outcomeOf } from "./content.ts";
import type { Offered } from "./offered.ts";
import type { Server } from "./server.ts";

/** The server checks its arguments itself, and says what does not fit. */
const Arguments = z.record(z.string(), z.unknown());
type Arguments = z.infer<typeof Arguments>;

/** A server's tool as one of Smith's. */
export const createTool = (offered: Offered, server: Server): AnyTool =>
  Object.freeze({
    name: offered.name,
    description: offered.description,
    schema: Arguments,
    parameters: offered.parameters,
    side_effects: offered.side_effects,
    role_allowlist: server.config.roles,
    deadlineS: () => server.config.timeout_s,
    async run(args, { signal }): Promise<ToolOutcome> {
      try {
        return outcomeOf(await server.call(offered.tool, args, signal));
      } catch (thrown) {
        // The edge of this package: what a server does wrong is an answer; anything else is a bug for the executor.
        if (!(thrown instanceof AgentError)) throw thrown;
        return { ok: false, content: "", error: { kind: thrown.kind, code: thrown.code, message: thrown.message } };
      }
    },
  } satisfies Tool<Arguments>);
