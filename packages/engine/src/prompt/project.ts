/** What the prompt says of the place the turn runs in; absent parts are left out. */
export interface ProjectScope {
  readonly cwd: string;
  readonly root: string | null;
  readonly origin: string | null;
  readonly normalized: string | null;
  readonly project_id: string | null;
  /** The index file's name and text, already cut to its limit; null without one. */
  readonly index: { readonly name: string; readonly text: string } | null;
}

/** `## Project information` and, with an index file, `## Project context`. */
export function projectBlock(scope: ProjectScope): string {
  const lines: readonly (readonly [string, string | null])[] = [
    ["CWD", scope.cwd],
    ["Repository root", scope.root],
    ["Git origin", scope.origin],
    ["Normalized origin", scope.normalized],
    ["Project ID", scope.project_id],
  ];
  const information = lines.flatMap(([label, value]) =>
    value === null || value === "" ? [] : [`- ${label}: ${value}`],
  );
  const context =
    scope.index === null || scope.index.text.trim() === ""
      ? []
      : ["", "## Project context", "", scope.index.text.trim()];
  return ["## Project information", ...information, ...context].join("\n");
}
