/**
 * The one place that prints an answer: a view for people or, with `--json`, a document for programs.
 *
 * A command answers with both, and does not know which is printed. Messages before the answer go to a {@link
 * Printer}.
 */
import * as ExitCode from "./ExitCode.ts"
import * as Terminal from "./Terminal.ts"

/** An answer of a command: its document, the view of it for people, and the exit code. */
export interface CommandAnswer {
  readonly code: ExitCode.ExitCode
  /** Absent if the document was already written, entry by entry. */
  readonly document?: object | undefined
  readonly view: () => void
}

/** Answers with a document and a view of it. The default exit code is 0, unless something was refused or violated. */
export const answer = (
  document: object,
  view: () => void,
  code: ExitCode.ExitCode = ExitCode.success
): CommandAnswer => ({
  code,
  document,
  view
})

/** Answers only with an exit code, if all output was already written. */
export const written = (code: ExitCode.ExitCode = ExitCode.success): CommandAnswer => ({ code, view: () => {} })

/** Prints what a command has to say. */
export interface Printer {
  /** Prints the answer. */
  readonly answer: (answer: CommandAnswer) => void
  /** Prints an intermediate message for people; programs find it in the document. */
  readonly tell: (view: () => void) => void
  /** Begins a document whose last field is a list. The list is written entry by entry, because it may be large. */
  readonly begin: (fields: object, list: string) => void
  /** Prints the next entry of the list. */
  readonly entry: (document: () => object, view: () => void) => void
  /** Ends the document that was begun. */
  readonly end: () => void
  /** Prints one of many answers, each a document on its own line. */
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
