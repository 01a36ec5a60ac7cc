/** Reads a revision from a document, or from what a user said. */
import * as Payload from "@backstitch/kernel/Payload"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as PlannerView from "../planner/PlannerView.ts"
import type * as Revising from "./Revising.ts"

/** Changes that were read from words, and the tokens that it cost. */
export interface ReadChanges {
  readonly changes: Revising.Revision["changes"]
  readonly tokens?: number | undefined
}

/** Turns words of a user into changes of the goal, given its clauses in force, the most important one first. */
export type Reader = (
  words: string,
  specification: PlannerView.PlannerView["specification"]
) => Promise<ReadChanges | Revising.Revision["changes"]>

/** Error for a document that is no revision, with its name, the place and the mistake. */
export class RevisionMalformed extends Schema.TaggedError<RevisionMalformed>("@backstitch/runtime/RevisionMalformed")(
  "RevisionMalformed",
  { document: Schema.String, found: Schema.String }
) {
  override get message(): string {
    return `${this.document} is no revision, such as { "changes": [ … ] }, or a list of changes: ${this.found}`
  }
}

/** Sentences about words that were not read, by the reason. */
const unread = {
  empty: () => "nothing in them was read as a change. Say it in other words, or give the changes",
  failed: (found: string) => `their reader failed: ${found}`,
  malformed: (found: string) => `their reader answered no revision: ${found}`,
  unheard: () => "nothing here turns words into changes. Name a model or an agent that revises, or give the changes"
} as const

/** Error for words of a user that no reader turned into changes. */
export class WordsUnread extends Schema.TaggedError<WordsUnread>("@backstitch/runtime/WordsUnread")("WordsUnread", {
  words: Schema.String,
  because: Schema.Literals(["empty", "failed", "malformed", "unheard"]),
  found: Schema.String
}) {
  override get message(): string {
    return `"${this.words}" changes nothing: ${unread[this.because](this.found)}`
  }
}

/** Fields that only the runtime writes. */
const reserved = ["followUp", "readBy"]

/** Checks a revision, or a list of changes, by the form of the payload that records it. Errors name the document. */
export const parse = (document: unknown, name = "The document") => {
  const given = Array.isArray(document) ? { changes: document as ReadonlyArray<Canonical.Json> } : document
  const data = { kind: "substitutive", ...Canonical.objectOf(given) }
  const body = { type: "revision.injected", data } as const
  const wrong = Payload.misfit(body)
  const revision = wrong === undefined ? Payload.of(body, body.type) : undefined
  const extra = reserved.find((field) => Object.hasOwn(Canonical.objectOf(given), field))
  if (revision !== undefined && extra === undefined) return Effect.succeed(revision)
  const found = wrong === undefined ? `${extra}: only the runtime writes it` : placed(wrong)
  return Effect.fail(new RevisionMalformed({ document: name, found }))
}

const placed = ({ path, problem }: { readonly path: string; readonly problem: string }): string =>
  `${path.replace(/^data\.?/, "")}: ${problem}`

/** The answer of a reader, which the code of an agent may give in another form than it promises. */
const readOf = (given: unknown): { readonly told: unknown; readonly tokens: number | undefined } => {
  const { changes, tokens } = (typeof given === "object" ? (given ?? {}) : {}) as { readonly [field: string]: unknown }
  if (changes === undefined) return { told: given, tokens: undefined }
  return { told: changes, tokens: typeof tokens === "number" ? tokens : undefined }
}

/** Has a reader turn words into changes, which are checked as those of a document are. */
export const changesOf = Effect.fnUntraced(function* (
  words: string,
  read: Reader | undefined,
  clauses: PlannerView.PlannerView["specification"]
) {
  if (read === undefined) return yield* new WordsUnread({ words, because: "unheard", found: "" })
  const given = yield* Effect.tryPromise({
    try: async () => await read(words, clauses),
    catch: (cause) =>
      new WordsUnread({ words, because: "failed", found: cause instanceof Error ? cause.message : String(cause) })
  })
  const { told, tokens } = readOf(given)
  const { changes } = yield* Effect.mapError(
    parse([...(Array.isArray(told) ? told : [told])]),
    ({ found }) => new WordsUnread({ words, because: "malformed", found })
  )
  if (changes.length === 0) return yield* new WordsUnread({ words, because: "empty", found: "" })
  return { changes, tokens } satisfies ReadChanges
})
