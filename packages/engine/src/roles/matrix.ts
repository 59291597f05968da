/**
 * Who may call what. A table to read: a tool without a row is denied to everybody, unless it comes from outside with a list
 * of roles of its own; the build fails on a registered one of ours without a row (its test).
 */
const ROLES = ["direct", "orchestrator", "worker", "explorer"] as const;

const TOOLS = {
  //             direct orchestrator worker explorer
  bash:          [true,  false,       true,  true ],
  read:          [true,  true,        true,  true ],
  code_map:      [true,  true,        true,  true ],
  code_grep:     [true,  true,        true,  true ],
  code_files:    [true,  true,        true,  true ],
  code_symbols:  [true,  true,        true,  true ],
  code_outline:  [true,  true,        true,  true ],
  git:           [false, true,        false, false],
  edit:          [true,  false,       true,  false],
  write:         [true,  false,       true,  false],
  web_search:    [true,  false,       true,  true ],
  web_fetch:     [true,  false,       true,  true ],
  note:          [true,  true,        false, false],
  dispatch:      [true,  true,        true,  false],
  record:        [true,  true,        false, false],
  recall:        [true,  true,        false, false],
  report:        [false, false,       true,  true ],
  search:        [true,  true,        false, false],
  list_dir:      [true,  true,        true,  true ],
  http_request:  [true,  false,       true,  true ],
  process_list:  [true,  false,       true,  false],
  disk_usage:    [true,  false,       true,  false],
  env_get:       [true,  false,       true,  false],
} as const satisfies Record<string, readonly [boolean, boolean, boolean, boolean]>;

/** Every tool that has a row, in the table's order. */
export const matrixTools = (): readonly string[] => Object.keys(TOOLS);

export const hasRow = (tool: string): boolean => Object.hasOwn(TOOLS, tool);

/** Unknown roles and unknown tools are denied, `"toString"` too. */
export function checkTool(role: string, tool: string): "allow" | "deny" {
  const column = ROLES.indexOf(role as (typeof ROLES)[number]);
  if (column < 0 || !hasRow(tool)) return "deny";
  return TOOLS[tool as keyof typeof TOOLS][column] === true ? "allow" : "deny";
}
