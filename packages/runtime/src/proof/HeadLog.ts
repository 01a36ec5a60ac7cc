/**
 * One log of the heads of all runs of a tenant. A small signed text anchors the whole log.
 *
 * A chain says nothing about its own end, nor about a run that was removed. The log is a list of entries `{head, run,
 * tenant, tick}`, and only grows. The head of its Merkle tree is signed and kept elsewhere. Relative to that head,
 * every tick that the log names must be unchanged. The more often the log grows, the more precisely a bad tick is
 * named.
 *
 * Laws: relative to such a head, any earlier transition that was rewritten, dropped or cut off is detected (L3).
 *
 * @source RFC 6962 section 2, C2SP tlog-checkpoint
 */

import * as Canonical from "@backstitch/trace/Canonical"
import * as Digest from "@backstitch/trace/Digest"
import { type Run, RunId, Tenant } from "@backstitch/trace/Run"
import * as TraceStore from "@backstitch/trace/TraceStore"
import { Tick } from "@backstitch/trace/Transition"
import * as TreeHead from "@backstitch/transparency/TreeHead"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The head of a run when the log grew. */
export const LoggedHead = Schema.Struct({ head: Digest.Digest, run: RunId, tenant: Tenant, tick: Tick })

/** The head of a run when the log grew. */
export type LoggedHead = typeof LoggedHead.Type

/** Error for a line of a log that is not an entry in its hashed form. */
export class LogInvalid extends Schema.TaggedError<LogInvalid>("@backstitch/runtime/LogInvalid")("LogInvalid", {
  line: Schema.Natural,
  found: Schema.String
}) {
  override get message(): string {
    return `Line ${this.line} of the log is no entry, but ${JSON.stringify(this.found.slice(0, 60))}. Restore the log from a copy`
  }
}

/** Error for a log that differs from the one whose head was kept. */
export class LogDiffers extends Schema.TaggedError<LogDiffers>("@backstitch/runtime/LogDiffers")("LogDiffers", {
  size: Schema.Natural,
  found: Schema.Natural
}) {
  override get message(): string {
    const what =
      this.found < this.size
        ? `The log has ${this.found} entries, and the checkpoint is of ${this.size}`
        : `The first ${this.size} entries of the log are not those of the checkpoint`
    return `${what}. Restore the log from a copy: without it the checkpoint cannot be compared with the store`
  }
}

/** Error for a store that does not hold a transition that its log names. */
export class LogContradicted extends Schema.TaggedError<LogContradicted>("@backstitch/runtime/LogContradicted")(
  "LogContradicted",
  { run: Schema.String, tick: Schema.Natural }
) {
  override get message(): string {
    return (
      `The log says where run ${this.run} stood at tick ${this.tick}, and the store has another history or none. ` +
      "Nothing was added. Find out who changed the store, and restore a copy"
    )
  }
}

/** Error for the log of another tenant than the acting one. */
export class LogForeign extends Schema.TaggedError<LogForeign>("@backstitch/runtime/LogForeign")("LogForeign", {
  tenant: Schema.String,
  asked: Schema.String
}) {
  override get message(): string {
    return (
      `The log holds heads of tenant ${this.tenant}, and you act for tenant ${this.asked}. ` +
      `Nothing was compared or added: name the log of tenant ${this.asked}`
    )
  }
}

/** Reads a log from its lines. */
export const parse = (text: string): Result.Result<ReadonlyArray<LoggedHead>, LogInvalid> => {
  const entries: Array<LoggedHead> = []
  const lines = text.split("\n")
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1
    if (isLast && line === "") break
    // Only the exact hashed text is accepted: the same entry in another spelling would be another leaf.
    const read = isLast ? Result.fail("") : Result.flatMap(Canonical.decode(line), decode)
    if (Result.isFailure(read)) return Result.fail(new LogInvalid({ line: index + 1, found: line }))
    entries.push(read.success)
  }
  return Result.succeed(entries)
}

/** The entries of a log, if they belong to the acting tenant (L15). */
export const ofTenant = (
  entries: ReadonlyArray<LoggedHead>,
  tenant: string
): Result.Result<ReadonlyArray<LoggedHead>, LogForeign> => {
  const foreign = entries.find((entry) => entry.tenant !== tenant)
  return foreign === undefined
    ? Result.succeed(entries)
    : Result.fail(new LogForeign({ tenant: foreign.tenant, asked: tenant }))
}

/** The leaves of the tree over entries, from which proofs are computed. */
export const leavesOf = (entries: ReadonlyArray<LoggedHead>): ReadonlyArray<Digest.Digest> =>
  entries.map((entry) => TreeHead.leaf(TreeHead.entry(entry)))

/** The head of the tree over entries. */
export const headOf = (entries: ReadonlyArray<LoggedHead>): TreeHead.TreeHead => ({
  size: entries.length,
  root: TreeHead.root(leavesOf(entries))
})

/** The entries that a kept head covers, if the log begins with them. */
export const under = (
  entries: ReadonlyArray<LoggedHead>,
  head: TreeHead.TreeHead
): Result.Result<ReadonlyArray<LoggedHead>, LogDiffers> => {
  const covered = entries.slice(0, head.size)
  return entries.length >= head.size && headOf(covered).root === head.root
    ? Result.succeed(covered)
    : Result.fail(new LogDiffers({ size: head.size, found: entries.length }))
}

/** The entries to add for runs with new transitions, after every existing entry was confirmed by the store. */
export const grow = Effect.fn("HeadLog.grow")(function* (tenant: Tenant, entries: ReadonlyArray<LoggedHead>) {
  const store = yield* TraceStore.TraceStore
  const latest = new Map<string, LoggedHead>()
  for (const entry of yield* Effect.fromResult(ofTenant(entries, tenant))) {
    yield* stands({ tenant, id: entry.run }, entry)
    latest.set(entry.run, entry)
  }
  const added: Array<LoggedHead> = []
  for (const { head, run } of yield* store.runs(tenant)) {
    if (latest.get(run.id)?.head !== head.link) added.push({ head: head.link, run: run.id, tenant, tick: head.tick })
  }
  return added as ReadonlyArray<LoggedHead>
})

/** Fails unless the run had the head that the entry names. */
const stands = Effect.fnUntraced(function* (run: Run, { head, tick }: LoggedHead) {
  const store = yield* TraceStore.TraceStore
  const [sealed] = yield* store.read(run, { from: tick, to: tick })
  if (sealed?.link !== head) return yield* new LogContradicted({ run: run.id, tick })
})

const decode = Schema.decodeUnknownResult(LoggedHead, { onExcessProperty: "error" })
