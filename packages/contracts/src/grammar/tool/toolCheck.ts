/**
 * Refuses contradictions within the contract of a tool, and warns of what it lacks: a proof of its effects, an undo, a
 * target, the fields that it writes.
 */

import * as DataKey from "../../state/DataKey.ts"
import * as Skeleton from "../../subtask/Skeleton.ts"
import * as Readback from "../../tool/Readback.ts"
import * as ToolContract from "../../tool/ToolContract.ts"
import type { Node } from "../definitionReader.ts"

/** Refuses parts of a contract that contradict each other. */
export const refuseContradictions = (node: Node, contract: ToolContract.ToolContract): void => {
  const read = contract.class === "read_only"
  const refuse = (key: string, found: string, expected: string, hint?: string) =>
    node.at(key).fail({ found, expected, hint, key: true })
  if (contract.transaction !== undefined) refuseTransaction(contract, refuse)
  if (read) {
    const written = new Set(contract.writes.map(({ name }) => name))
    const changed = [...written].filter((path) => /^(?:state|world)\./.test(path))
    if (changed.length > 0)
      refuse(
        node.at("writes").isAbsent ? "on_reconciled" : "writes",
        `read_only that writes ${changed.join(", ")}`,
        "a class that changes the world, or no writes"
      )
    if (contract.target !== undefined) refuse("target", "read_only with a target", "no target: reading excludes nobody")
    if (contract.undo.class !== "I") refuse("undo", `read_only with undo ${contract.undo.class}`, "I, or no undo")
    if (contract.undo.by !== undefined) refuse("undo", `read_only undone by ${contract.undo.by}`, "no undo")
    if (contract.idempotency !== "read") refuse("idempotency", `read_only that is ${contract.idempotency}`, "read")
    return
  }
  if (contract.idempotency === "read")
    refuse("idempotency", `${contract.class} declared as read`, "idempotent_write or effectful")
  if (contract.undo.class === "I" && !node.at("class").isAbsent) {
    refuse(
      "undo",
      `I on a tool that is ${contract.class}`,
      "R, K or X",
      "I means that the world does not change; a write that may be repeated is still R, K or X"
    )
  }
  if ((contract.undo.class === "X" || contract.undo.class === "I") && contract.undo.by !== undefined) {
    refuse("undo", `${contract.undo.class} with by`, "R or K, or no by")
  }
  if (contract.status === "by_key" && contract.identity === undefined) {
    refuse("status", "by_key without an identity", "an identity, from which the key is derived")
  }
  if (contract.webhook !== undefined && contract.identity === undefined) {
    refuse("webhook", "a webhook without an identity", "an identity, from which the key is derived")
  }
  if (contract.idempotency === "idempotent_write" && contract.identity === undefined && contract.status !== "by_key") {
    refuse("idempotency", "idempotent_write without an identity", "an identity, from which the key is derived")
  }
}

/** Refuses a local transaction without a strong read inside the transaction, or with another source of proof. */
const refuseTransaction = (
  { class: sideEffect, readback, status, times, webhook }: ToolContract.ToolContract,
  refuse: (key: string, found: string, expected: string, hint?: string) => void
): void => {
  if (sideEffect === "read_only") {
    refuse("transaction", "read_only in a transaction", "a class that changes the world, or no transaction")
    return
  }
  if (readback === undefined) {
    const hint = "It is read inside before it is committed, and from outside afterwards"
    refuse("transaction", "a local transaction without a readback", "a readback and what it has to show", hint)
  } else if (readback.consistency !== "strong" || Readback.isLagging(readback.from)) {
    const hint = "Only the system of record shows that nothing remains of a transaction that was rolled back"
    refuse("transaction", "a local transaction that is read back late", "a strong readback from its own store", hint)
  }
  if (status === "by_key") {
    const hint = "An open transaction is on record under no key, and a committed one is read back"
    refuse("status", "by_key on a local transaction", "none", hint)
  }
  if (webhook !== undefined) {
    refuse("webhook", "a webhook on a local transaction", "none: whoever holds it open settles it")
  }
  if (times.sendWithinMillis === undefined || times.settleAfterMillis === undefined) {
    const hint = "A transaction that a crash left open counts as aborted only when nobody can commit it any more"
    refuse("transaction", "a local transaction without its times", "times.sendWithin and times.settleAfter", hint)
  }
}

/** Warns of a tool that cannot be verified: how its calls are settled, and what would change that. */
const adviseWord = (node: Node, contract: ToolContract.ToolContract): void => {
  const { acceptsWord, class: sideEffect, webhook } = contract
  const isGrave = ToolContract.isGrave(contract)
  if (ToolContract.isVerifiable(contract) || (isGrave && webhook !== undefined)) {
    if (acceptsWord === undefined) return
    const expected = "accepts_word only where much is at stake and nothing can be checked"
    node.at("accepts_word").warn({ found: "accepts_word on a tool that is verified", expected, key: true })
    return
  }
  if (acceptsWord !== undefined) {
    node.at("accepts_word").warn({
      found: `${sideEffect} whose own word ${acceptsWord.by} accepts`,
      expected: "a readback or status: by_key",
      hint: "Its effect settles on its own word, and is never reported as verified",
      key: true
    })
    return
  }
  node.warn({
    found: `${sideEffect} without a readback`,
    expected: `a readback or status: by_key${isGrave ? ", or accepts_word with who accepts the tool's own word and why" : ""}`,
    hint: isGrave
      ? "Its calls are held until a person decides, whatever they answer"
      : "Its effect can never be reported as done",
    key: true
  })
}

/** Warns of parts that a contract omits. */
export const adviseOnTool = (node: Node, contract: ToolContract.ToolContract): void => {
  if (contract.class === "read_only" || node.at("class").isAbsent) return
  if (contract.status === "by_key" && !ToolContract.canBeAsked(contract)) {
    node.at("status").warn({
      found: "by_key without all three times",
      expected: "sendWithin, settleAfter and keyRetention",
      hint: "Without them a missing effect stays unknown and is held"
    })
  }
  if (contract.idempotency === "idempotent_write" && node.at("idempotency").isAbsent) {
    const hint =
      "With an identity and status: by_key it counts as idempotent_write: a request whose record is not seen is sent " +
      "again under its key. A provider that only stores keys is effectful"
    node.warn({ found: "no idempotency", expected: "idempotent_write or effectful", hint, key: true })
  }
  adviseWord(node, contract)
  if (node.at("undo").isAbsent) {
    const hint = "It counts as X: nothing can undo it, and no saga goes back across it"
    node.warn({ found: "no undo", expected: "how it is undone, or X", hint, key: true })
  }
  adviseOnWrites(node, contract)
  if (contract.target === undefined && node.at("target").isAbsent) {
    const hint = "Without a target, two calls may change one thing at once"
    node.warn({ found: "no target", expected: "the resource that it changes, or none", hint, key: true })
  }
}

/** Warns of changes that `writes` does not name, since other rules depend on `writes`. */
const adviseOnWrites = (node: Node, { onReconciled, onRecorded, writes }: ToolContract.ToolContract): void => {
  if (writes.length === 0 && onReconciled?._tag !== "Function" && onRecorded?._tag !== "Function") {
    const hint = "Nothing of what it does is believed, and nothing can be told to depend on it"
    node.warn({ found: "no writes and no on_reconciled", expected: "the fields that it changes", hint, key: true })
  }
  const declared = node
    .at("writes")
    .texts()
    .map((key) => DataKey.split(key)?.name)
  const more = writes.flatMap(({ name }) => (declared.includes(name) ? [] : [name]))
  if (declared.length > 0 && more.length > 0) {
    const hint = "They are taken to be written as well"
    node
      .at("writes")
      .warn({ found: `writes without ${more.join(", ")}`, expected: "every field that it changes", hint })
  }
}

/** Refuses compensations that form a circle. Two tools may undo each other. */
export const refuseUndoCycles = (node: Node, tools: Readonly<Record<string, ToolContract.ToolContract>>): void => {
  const edges = Object.fromEntries(
    Object.values(tools).map(({ name, undo }) => [name, undo.by === undefined || undo.by === name ? [] : [undo.by]])
  )
  for (const cycle of Skeleton.cycles(edges)) {
    if (cycle.length <= 2) continue
    const found = `a cycle of compensations: ${[...cycle, cycle[0]].join(" → ")}`
    const expected = "chains that end, or two tools that undo each other"
    node
      .at(cycle[0] as string)
      .at("undo")
      .at("by")
      .fail({ found, expected })
  }
  for (const { name, undo } of Object.values(tools)) {
    const by = undo.by === undefined ? undefined : tools[undo.by]
    if (by?.class !== "read_only") continue
    node
      .at(name)
      .at("undo")
      .at("by")
      .fail({ found: `${by.name}, which is read_only`, expected: "a tool that changes the world" })
  }
}

/**
 * Warns of undoings for which no plan is admitted, because the original cannot be asked about or the reversal cannot
 * be verified.
 */
export const adviseOnUndoing = (node: Node, tools: Readonly<Record<string, ToolContract.ToolContract>>): void => {
  for (const contract of Object.values(tools).filter(ToolContract.isReversible)) {
    const at = node.at(contract.name).at("undo")
    const hint = "Its undoing is never begun: a person is asked"
    if (ToolContract.absenceBy(contract) === undefined) {
      const found = `an undo of ${contract.name}, of which nobody can find out whether there is anything to undo`
      const expected = `a strong readback of ${contract.name}, or status: by_key with all three times`
      at.warn({ found, expected, hint, key: true })
    }
    const by = tools[contract.undo.by ?? ""]
    if (by !== undefined && by.readback === undefined) {
      at.warn({
        found: `an undo by ${by.name}, which has no readback`,
        expected: `a readback of ${by.name}`,
        hint,
        key: true
      })
    }
  }
}

/** Warns of tools that no skeleton uses. */
export const adviseOnUnused = (
  node: Node,
  tools: Readonly<Record<string, ToolContract.ToolContract>>,
  skeletons: Readonly<Record<string, Skeleton.Skeleton>>
): void => {
  if (Object.keys(skeletons).length === 0) return
  const used = new Set(Object.values(skeletons).flatMap((skeleton) => skeleton.tools))
  for (const { undo } of Object.values(tools)) if (undo.by !== undefined) used.add(undo.by)
  for (const name of Object.keys(tools)) {
    if (used.has(name)) continue
    node.at(name).warn({
      found: `tool ${name}, which no skeleton uses and nothing is undone by`,
      expected: "a use for it",
      key: true
    })
  }
}
