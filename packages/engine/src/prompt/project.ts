/** What the prompt says of the place the turn runs in. */
export interface ProjectScope {
  readonly cwd: string;
  readonly root: string | null;
}

export function projectBlock(scope: ProjectScope): string {
  const lines = [`- CWD: ${scope.cwd}`, scope.root === null ? "" : `- Repository root: ${scope.root}`];
  return ["## Project information", ...lines.filter((line) => line !== "")].join("\n");
}
