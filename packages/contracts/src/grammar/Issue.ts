/** An error or a warning about a pack, with its place in the file. */
import * as Schema from "effect/Schema"

/**
 * An error or a warning about a definition: its place, the value found, and the value expected.
 *
 * **Details**
 *
 * `line` and `column` count from 1, and are 0 for a pack that was not read from a file. `path` leads to the place in
 * the definition, such as `tools.book_flight.undo.by`.
 */
export const Issue = Schema.Struct({
  file: Schema.String,
  line: Schema.Natural,
  column: Schema.Natural,
  path: Schema.String,
  found: Schema.String,
  expected: Schema.String,
  hint: Schema.optionalKey(Schema.String)
})

/** An error or a warning about a definition. */
export type Issue = typeof Issue.Type

/** Writes an issue as one line, in the form that editors link to. */
export const format = (self: Issue): string => {
  const place = self.line === 0 ? self.file : `${self.file}:${self.line}:${self.column}`
  const hint = self.hint === undefined ? "" : `. ${self.hint}`
  return `${place} ${self.path === "" ? "(whole file)" : self.path}: found ${self.found}, expected ${self.expected}${hint}`
}
