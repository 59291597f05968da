import type { PagerDocument } from "./state.ts";

const KEYS = `
j, Down, Space      a row further        k, Up               a row back
J, PgDn, Ctrl-F     a page further       K, PgUp, Ctrl-B     a page back
Ctrl-D, Ctrl-U      half a page          g, Home  G, End     the start, the end
]                   next header          [                   header before
/                   search; Enter finds  n, b                next, previous hit
Tab, Shift-Tab      mark the next part, the one before
Enter               that part alone      Backspace           back
y                   copy that part       Ctrl-R              source or Markdown
s                   status row           l                   row numbers
?                   these keys           q, Esc, Ctrl-C      leave
`.trim();

/** The keys of the pager, as a text to page. */
export const PAGER_HELP: PagerDocument = {
  title: "keys",
  sections: [{ id: "keys", title: "", kind: "note", text: KEYS, markdown: false }],
};
