import type { AnyTool } from "@smith/contract/tool";
import { createCodeFiles } from "./files.ts";
import { createCodeGrep } from "./grep.ts";
import { createCodeMap } from "./map.ts";
import { createCodeOutline } from "./outline.ts";
import type { CodeOptions } from "./scope.ts";
import { createCodeSymbols } from "./symbols.ts";
import { createSymbolReader } from "./syntax/reader.ts";

/** The tools that look through a project's files: code_map, code_grep, code_files, code_symbols, code_outline. */
export function createCodeTools(options: CodeOptions): readonly AnyTool[] {
  const reader = createSymbolReader();
  return Object.freeze([
    createCodeMap(options),
    createCodeGrep(options),
    createCodeFiles(options),
    createCodeSymbols(options, reader),
    createCodeOutline(options, reader),
  ]);
}
