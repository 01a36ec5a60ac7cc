/** Text of a page: values of a run are escaped, and nothing is markup but what this program writes. */
import * as Terminal from "../../terminal/Terminal.ts"

/** Markup that this program has written. */
export interface Html {
  readonly markup: string
}

type Part = Html | number | string | ReadonlyArray<Html>

/** Writes markup. Values are escaped, unless they are markup themselves. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html => ({
  markup: String.raw({ raw: texts }, ...parts.map(written))
})

const written = (part: Part): string => {
  if (typeof part !== "object") return escaped(String(part))
  return "markup" in part ? part.markup : part.map(({ markup }) => markup).join("\n")
}

/** Escapes text for content and for quoted attributes. Characters that no page may hold are shown as marks. */
const escaped = (text: string): string =>
  Terminal.unstyled(text.toWellFormed())
    .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[\ufffe\uffff]/g, "\ufffd")
