import type { Plugin } from "../plugin.ts";

/** Asks the user before each command of bash, in any mode. Where nobody can be asked the command is not run. */
export const askBeforeBash: Plugin = {
  name: "ask-before-bash",
  version: "1.0.0",
  hooks: {
    before_tool_call({ tool_name }) {
      return tool_name === "bash" ? { ask: "every command is asked about" } : undefined;
    },
  },
};
