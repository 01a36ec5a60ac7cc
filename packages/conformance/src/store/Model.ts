/**
 * A model of a store, written as simply as possible. A store has to give the same answers.
 *
 * Each run has a copy of its whole history, forks included, and every question is answered by reading all of it. It
 * shares no code with the memory layer, so an error would have to be made twice to stay undetected.
 */
import type * as Claims from "@backstitch/trace/Claims"
import * as HashChain from "@backstitch/trace/HashChain"
import * as Run from "@backstitch/trace/Run"
import type { Append, Parent, Snapshot } from "@backstitch/trace/TraceStore"
import type { Draft, Sealed } from "@backstitch/trace/Transition"
import type { CommitStep, StoreCall } from "./Arbitraries.ts"
import * as SampleCommits from "./SampleCommits.ts"

/** A run with all its facts. */
export interface History {
  readonly run: Run.Run
  readonly parent: Parent | undefined
  readonly transitions: ReadonlyArray<Sealed>
  readonly snapshots: ReadonlyArray<Snapshot>
}

/** All runs, all names, and all commits that were ever tried. */
export interface Model {
  readonly histories: ReadonlyArray<History>
  readonly held: ReadonlyArray<Claims.HeldClaim>
  readonly tried: ReadonlyArray<Append>
}

/** An answer in a form that can be compared and printed. */
export type ModelAnswer =
  | { readonly outcome: "Head"; readonly head: HashChain.Head }
  | { readonly outcome: "TickConflict"; readonly expected: number; readonly actual: number }
  | { readonly outcome: "ClaimRefused"; readonly name: string; readonly holder: string; readonly tick: number }
  | { readonly outcome: "Nothing" }
  | { readonly outcome: "Found"; readonly found: ReadonlyArray<unknown> }

/** A store in which nothing has happened. */
export const empty: Model = { histories: [], held: [], tried: [] }

/** Finds a run. */
export const find = (model: Model, run: Run.Run): History | undefined =>
  model.histories.find((history) => Run.same(history.run, run))

/** The commit of a command. `suffix` separates the tenants of different cases. */
export const commitOf = (model: Model, command: StoreCall, suffix: string): Append | undefined => {
  switch (command._tag) {
    case "Append": {
      const run = runOf(command, suffix)
      const transitions = find(model, run)?.transitions ?? []
      const head = headAfter(run, transitions.slice(0, Math.max(0, transitions.length - command.back)))
      const drafts = command.steps.map(draftOf)
      return SampleCommits.commit({
        run,
        head,
        drafts: transitions.length === 0 ? [SampleCommits.began, ...drafts] : drafts
      })
    }
    case "Fork": {
      const run = runOf(command, suffix)
      const transitions = find(model, runOf({ ...command, run: command.parent }, suffix))?.transitions ?? []
      const at = command.isStale ? command.at - 1 : command.at
      const head = headAfter(run, transitions.slice(0, Math.max(0, at)))
      return SampleCommits.commit({
        run,
        head,
        drafts: [SampleCommits.forked],
        parent: { id: Run.make(command.parent).id, tick: command.at }
      })
    }
    case "Repeat":
      return model.tried[model.tried.length - command.back]
    default:
      return undefined
  }
}

/** The run of a command. */
export const runOf = ({ run, tenant }: { readonly run: string; readonly tenant: string }, suffix: string): Run.Run =>
  Run.make(run, `${tenant}-${suffix}`)

/** The text of a snapshot that a command keeps. */
export const snapshotText = (command: Extract<StoreCall, { readonly _tag: "Snapshot" }>): string =>
  `{"of":"${command.run}","tick":${command.tick}}`

/** Answers a command as a store has to, with the next model. */
export const step = (model: Model, command: StoreCall, suffix: string): readonly [ModelAnswer, Model] => {
  const commit = commitOf(model, command, suffix)
  if (commit !== undefined) return append(model, commit)
  switch (command._tag) {
    case "Snapshot": {
      const history = find(model, runOf(command, suffix))
      const { tick } = command
      const isOwn = history !== undefined && tick <= history.transitions.length && tick > (history.parent?.tick ?? 0)
      if (!isOwn || history.snapshots.some((snapshot) => snapshot.tick === tick)) return [{ outcome: "Nothing" }, model]
      const snapshots = [...history.snapshots, { tick, text: snapshotText(command) }]
      return [{ outcome: "Nothing" }, replace(model, { ...history, snapshots })]
    }
    case "Read": {
      const { from, limit, to } = command
      const all = find(model, runOf(command, suffix))?.transitions ?? []
      const found = all.filter(({ tick }) => from <= tick && tick <= to).slice(0, limit)
      return [{ outcome: "Found", found }, model]
    }
    case "Page": {
      const { after, limit, tenant } = command
      const found = model.histories
        .filter(({ run }) => run.tenant === `${tenant}-${suffix}` && (after === null || run.id > after))
        .sort((left, right) => (left.run.id < right.run.id ? -1 : 1))
        .slice(0, limit)
        .map(({ parent, run, transitions }) => ({ run, head: headAfter(run, transitions), parent }))
      return [{ outcome: "Found", found }, model]
    }
    default:
      return [{ outcome: "Nothing" }, model]
  }
}

/** Snapshots from which a run can start: its own, and those of its ancestors at shared ticks. */
export const snapshotsOf = (model: Model, run: Run.Run): ReadonlyArray<Snapshot> => {
  const history = find(model, run)
  if (history === undefined) return []
  const { parent, snapshots } = history
  const inherited = parent === undefined ? [] : snapshotsOf(model, { tenant: run.tenant, id: parent.id })
  return [...inherited.filter(({ tick }) => tick <= (parent?.tick ?? 0)), ...snapshots].sort(
    (left, right) => left.tick - right.tick
  )
}

const append = (model: Model, commit: Append): readonly [ModelAnswer, Model] => {
  const tried: Model = { ...model, tried: [...model.tried, commit] }
  const { expected, parent, run, transitions } = commit
  const last = transitions[transitions.length - 1]!
  const history = find(model, run)
  const own = history?.transitions.filter(({ tick }) => tick > (history.parent?.tick ?? 0)) ?? []
  if (own.some(({ link }) => link === last.link)) return [{ outcome: "Head", head: HashChain.headOf(last) }, tried]

  const ancestor = parent && find(model, { tenant: run.tenant, id: parent.id })
  const reached = ancestor?.transitions.length ?? 0
  const isOutOfReach =
    history === undefined && parent !== undefined && (ancestor === undefined || parent.tick > reached)
  const shared = ancestor?.transitions.slice(0, parent?.tick) ?? []
  const before = history?.transitions ?? (parent === undefined ? [] : shared)
  if (isOutOfReach || headAfter(run, before).link !== expected.link) {
    const actual = isOutOfReach ? reached : before.length
    return [{ outcome: "TickConflict", expected: expected.tick, actual }, tried]
  }

  let held = model.held
  for (const { release, take, tick } of commit.claims) {
    for (const claim of take) {
      const holder = held.find((other) => isSameName(other, run, claim))
      if (holder === undefined) held = [...held, { ...claim, run, tick }]
      else if (!Run.same(holder.run, run) || holder.owner !== claim.owner) {
        const answer = { outcome: "ClaimRefused", name: claim.name, holder: holder.owner, tick: holder.tick } as const
        return [answer, tried]
      }
    }
    for (const claim of release) {
      held = held.filter(
        (other) => !(isSameName(other, run, claim) && Run.same(other.run, run) && other.owner === claim.owner)
      )
    }
  }
  const after: History = {
    run,
    parent: history === undefined ? parent : history.parent,
    snapshots: history?.snapshots ?? [],
    transitions: [...before, ...transitions]
  }
  return [
    { outcome: "Head", head: HashChain.headOf(last) },
    { ...replace(tried, after), held }
  ]
}

const isSameName = (held: Claims.HeldClaim, run: Run.Run, claim: Claims.Claim): boolean =>
  held.run.tenant === run.tenant && held.namespace === claim.namespace && held.name === claim.name

const replace = (model: Model, history: History): Model => ({
  ...model,
  histories: [...model.histories.filter((other) => !Run.same(other.run, history.run)), history]
})

const headAfter = (run: Run.Run, transitions: ReadonlyArray<Sealed>): HashChain.Head => {
  const last = transitions[transitions.length - 1]
  return last === undefined ? HashChain.genesis(run) : HashChain.headOf(last)
}

const draftOf = (step: CommitStep): Draft => {
  switch (step._tag) {
    case "Note":
      return SampleCommits.noted(step.note)
    case "Start":
      return SampleCommits.started(step.action, step.target, step.key ?? undefined)
    case "Settle":
      return SampleCommits.settled(step.action, step.target)
  }
}
