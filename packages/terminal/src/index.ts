export {
  DIFF_INLINE_BYTES,
  DIFF_INLINE_LINES,
  type DiffLine,
  type DiffStats,
  diffEdit,
  drawDiff,
  type EditDiff,
} from "./diff.ts";
export {
  createMarkdownStream,
  MARKDOWN_MAX,
  type MarkdownOptions,
  type MarkdownStream,
  renderMarkdown,
  warmMarkdown,
} from "./markdown.ts";
export {
  ARGS_COLUMNS,
  accountRows,
  argsPreview,
  cancelledRow,
  type DispatchEnd,
  dispatchRows,
  ERROR_COLUMNS,
  errorPreview,
  errorRows,
  RESULT_COLUMNS,
  type RowOptions,
  type RunningCall,
  resultPreview,
  runningRow,
  toolRow,
  usageText,
} from "./rows.ts";
export { createSafeStream, type SafeStream, safeLine, safeText } from "./safe.ts";
export { aliasOf, createTheme, type Paint, type PromptPaints, type Theme, type ThemeOptions } from "./theme.ts";
export { cut, TAB_COLUMNS, width, wrap } from "./width.ts";
