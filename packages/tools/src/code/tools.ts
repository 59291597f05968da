import type { AnyTool } from "@smith/contract/tool";
import { createCodeFiles } from "./files.ts";
import { createCodeGrep } from "./grep.ts";
import { createCodeMap } from "./map.ts";
import type { CodeOptions } from "./scope.ts";

/** The tools that look through a project's files: code_map, code_grep, code_files. */
export const createCodeTools = (options: CodeOptions): readonly AnyTool[] =>
  Object.freeze([createCodeMap(options), createCodeGrep(options), createCodeFiles(options)]);
