/**
 * Failures of a command: the message for a person or a program. Their exit codes are in `ExitCode`.
 *
 * A foreseen error prints its message. Any other is a defect of this program: it prints one line, and its stack trace
 * only if requested.
 */
import type { Next } from "@backstitch/wording/Next"
import * as Cause from "effect/Cause"
import type * as CliError from "effect/cli/CliError"
import * as Schema from "effect/Schema"
import * as ExitCode from "./ExitCode.ts"
import * as Spelling from "./Spelling.ts"
import * as Terminal from "./Terminal.ts"
import * as UsageHelp from "./UsageHelp.ts"

/** Error for arguments that parse but contradict each other, or name nothing that exists. */
export class Usage extends Schema.TaggedError<Usage>("@backstitch/cli/Usage")("Usage", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

/** Prints a failure and answers the exit code. */
export const print = (
  cause: Cause.Cause<unknown>,
  options: { readonly debug: boolean; readonly json: boolean; readonly place: UsageHelp.FoundCommand }
): ExitCode.ExitCode => {
  const failed = cause.reasons.find(Cause.isFailReason)?.error
  if (isForeseen(failed)) {
    if (failed._tag === "ShowHelp") return mistyped(failed as CliError.ShowHelp, options)
    Terminal.complain(failed.message)
    if (failed._tag === "Usage") {
      for (const hint of UsageHelp.hints(options.place, failed.message)) Terminal.note(hint)
    }
    if (failed._tag === "LimitExceeded" && "limit" in failed && failed.limit !== "levels") {
      Terminal.note(`BACKSTITCH_LIMITS=${String(failed.limit)}=… raises it, as in BACKSTITCH_LIMITS=text=1GB,line=64MB`)
    }
    const { [failed._tag]: hints = [] } = flags
    const flag = hints.length === 1 ? hints[0] : hints.find((hint) => UsageHelp.isFor(options.place, hint))
    if (flag !== undefined) Terminal.note(flag)
    const next = nextOf(failed)
    for (const step of next) Terminal.note(`next: ${Spelling.of(step)}`)
    if (options.json) Terminal.document({ error: { tag: failed._tag, message: failed.message, ...told(next) } })
    return ExitCode.ofError(failed._tag)
  }
  const defect = Cause.squash(cause)
  // A pure function throws its finding about stored bytes, because it cannot answer it otherwise.
  if (isForeseen(defect) && defect instanceof Error) {
    Terminal.complain(defect.message)
    const next = nextOf(defect)
    for (const step of next) Terminal.note(`next: ${Spelling.of(step)}`)
    if (options.json) Terminal.document({ error: { tag: defect._tag, message: defect.message, ...told(next) } })
    return ExitCode.failure
  }
  const line = defect instanceof Error ? `${defect.name}: ${defect.message}` : String(defect)
  Terminal.complain(`something happened that nobody foresaw (${line.split("\n")[0]})`)
  if (options.debug) Terminal.note(Cause.pretty(cause))
  else Terminal.note("This is a mistake in Backstitch. Repeat with --debug, and report what it prints with the command")
  if (options.json) Terminal.document({ error: { tag: "Defect", message: line } })
  return ExitCode.failure
}

/** The flags for the remedies that errors give in words. The first that the command takes is named. */
const flags: { readonly [tag: string]: ReadonlyArray<string> } = {
  KeysDiffer: ["`backstitch secret --accept` does so, and names these runs"],
  ForkBehindUndone: ["`--behind-undone` says so"],
  MonotoneUntested: ["`--sample` names a run"],
  NothingToTry: ["`--pack` names a pack, and `--sample` a run"],
  CapacityMissing: ["`--role` names it"],
  RunLeased: [
    "`--wait` waits for it",
    "`--set`, `--add`, `--withdraw` and `--first` without `--agent` are only recorded, and that process absorbs them"
  ],
  SeedContract: ["`--pack` names it"],
  SecretMissing: ["`--secret-file` names a file with it"],
  TenantDiffers: ["`--tenant` names the tenant that you act for"],
  ToolsMissing: ["`--agent` names it, and `--dry-run` shows what would be carried over"],
  WebhookUnknown: ["`--tool` names it"]
}

/** Some errors carry their next steps; those of packages without verbs get them here. */
const nextOf = (failed: { readonly _tag: string }): ReadonlyArray<Next> => {
  if ("next" in failed && Array.isArray(failed.next)) return failed.next as ReadonlyArray<Next>
  const run = "run" in failed && typeof failed.run === "string" ? { run: failed.run } : {}
  switch (failed._tag) {
    case "RebaseUnsettled":
      return [{ ...run, verb: "resume" }]
    case "ChainBroken":
      // Without a run it is the trace of a file that was read in, and nothing in the store is broken.
      return "run" in run ? [{ ...run, verb: "verify" }] : []
    case "RunUnknown":
      return [{ verb: "list" }]
    case "TraceStoreError": {
      const isFile = "operation" in failed && failed.operation === "open"
      return "reason" in failed && failed.reason === "corrupt" && !isFile ? [{ ...run, verb: "verify" }] : []
    }
    default:
      return []
  }
}

const told = (next: ReadonlyArray<Next>): { readonly next?: ReadonlyArray<Spelling.SpelledStep> } =>
  next.length === 0 ? {} : { next: next.map((step) => Spelling.told(step)) }

/** Requested help is no failure, and was printed. */
const mistyped = (
  { errors }: CliError.ShowHelp,
  { json, place }: { readonly json: boolean; readonly place: UsageHelp.FoundCommand }
): ExitCode.ExitCode => {
  if (errors.length === 0) return ExitCode.success
  const messages = errors.map((error) => UsageHelp.describe(error, place))
  for (const message of messages) Terminal.complain(message)
  for (const hint of UsageHelp.hints(place)) Terminal.note(hint)
  if (json) Terminal.document({ error: { tag: "Usage", message: messages.join("; ") } })
  return ExitCode.misuse
}

const isForeseen = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error
