/**
 * The one place that prints an answer: a view for people or, with `--json`, a document for programs.
 *
 * A command answers with both, and does not ask for whom. What it says on the
 * way, before it has an answer, it tells a {@link Printer}.
 */
import * as Terminal from "./Terminal.ts"

/** An answer of a command: its document, the same for people, and the exit code. */
export interface Answer {
  readonly code: number
  /** Absent where the document was written as it came, entry by entry. */
  readonly document?: object | undefined
  readonly view: () => void
}

/** Answers with a document and a view of it. The exit code is 0 unless something was refused or violated. */
export const answer = (document: object, view: () => void, code = 0): Answer => ({ code, document, view })

/** Answers with an exit code alone, where all that there is to say was written as it came. */
export const written = (code = 0): Answer => ({ code, view: () => {} })

/** Prints what a command has to say. */
export interface Printer {
  /** Prints the answer. */
  readonly answer: (answer: Answer) => void
  /** Tells people something on the way; programs read it in the document. */
  readonly tell: (view: () => void) => void
  /** Begins a document whose last field is a list, which is written as it comes: it may be large. */
  readonly begin: (fields: object, list: string) => void
  /** Prints the next entry of the list. */
  readonly entry: (document: () => object, view: () => void) => void
  /** Ends the document that was begun. */
  readonly end: () => void
  /** Prints one of many answers, each a document on a line of its own. */
  readonly line: (document: () => object, view: () => void) => void
}

const nothing = (): void => {}

const people: Printer = {
  answer: ({ view }) => view(),
  tell: (view) => view(),
  begin: nothing,
  entry: (_, view) => view(),
  end: nothing,
  line: (_, view) => view()
}

const programs: Printer = {
  answer: ({ document }) => {
    if (document !== undefined) Terminal.document(document)
  },
  tell: nothing,
  begin: Terminal.begin,
  entry: (document) => Terminal.item(document()),
  end: Terminal.end,
  line: (document) => Terminal.record(document())
}

/** Makes a printer. */
export const of = ({ json }: { readonly json: boolean }): Printer => (json ? programs : people)
