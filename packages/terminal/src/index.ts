export {
  createMarkdownStream,
  MARKDOWN_MAX,
  type MarkdownOptions,
  type MarkdownStream,
  renderMarkdown,
  warmMarkdown,
} from "./markdown.ts";
export { createSafeStream, type SafeStream, safeLine, safeText } from "./safe.ts";
export { aliasOf, createTheme, type Paint, type PromptPaints, type Theme, type ThemeOptions } from "./theme.ts";
export { cut, TAB_COLUMNS, width, wrap } from "./width.ts";
