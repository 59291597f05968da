declare module "marked-terminal" {
  import type { MarkedExtension } from "marked";

  /** Renderers for a terminal. Only what Smith sets is declared. */
  export function markedTerminal(
    options: {
      readonly [style in
        | "html"
        | "heading"
        | "firstHeading"
        | "listitem"
        | "paragraph"
        | "strong"
        | "em"
        | "del"
        | "text"]: (text: string) => string;
    } & {
      readonly emoji: false;
      readonly unescape: false;
      readonly showSectionPrefix: boolean;
    },
  ): MarkedExtension;
}
