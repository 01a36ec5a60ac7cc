/**
 * Has questions that cost processor time answered by workers, so that they hold up nobody else.
 *
 * A worker answers one question at a time. Those that wait are taken turn by turn of their tenants, and where there are
 * several workers, one tenant never has all of them. A question whose caller has gone is given up; a worker that does
 * not notice, because it is in the middle of a long computation, is ended, and another one takes its place. Workers are
 * started when they are needed, and end when nothing is asked of them for a while.
 *
 * @source docs/decisions/0073
 */
import * as Problem from "@backstitch/api/Problem"
import type { Tenant } from "@backstitch/trace/Run"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Limits from "../Limits.ts"

/** A worker as the pool uses it, such as a thread. `lost` is called if it ends by itself. */
export interface Worker<Q, A> {
  readonly ask: (question: Q, answered: (answer: A) => void) => void
  /** Gives the question up that it was asked. `answered` is then called with whatever came of it. */
  readonly giveUp: () => void
  readonly end: () => void
}

/** The number of workers, and the way in which one is started. */
export interface Options<Q, A> {
  readonly workersMax: number
  readonly start: (lost: () => void) => Worker<Q, A>
  /** Is told how many questions wait for a worker, and how many one answers. */
  readonly counted?: (waiting: number, working: number) => void
  /** The time in which a worker has to notice that its question was given up. */
  readonly giveUpMillis?: number
}

/** Asks a question for a tenant. Interrupted, it gives the question up. */
export interface QuestionPool<Q, A> {
  readonly ask: (tenant: Tenant, question: Q) => Effect.Effect<A, Problem.TypedProblem>
}

interface Waiting<Q, A> {
  readonly tenant: Tenant
  readonly question: Q
  readonly done: (answer: A | undefined) => void
}

interface Place<Q, A> {
  readonly worker: Worker<Q, A>
  at: Waiting<Q, A> | undefined
  timer: NodeJS.Timeout | undefined
}

/** Creates a pool, whose workers end with the scope. */
export const make = <Q, A>(options: Options<Q, A>): Effect.Effect<QuestionPool<Q, A>, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Workers(options)),
      (workers) => Effect.sync(() => workers.end())
    ),
    (workers) => ({
      ask: (tenant, question) =>
        Effect.callback<A, Problem.TypedProblem>((resume) => {
          const done = (answer: A | undefined) =>
            resume(answer === undefined ? Effect.fail(lost) : Effect.succeed(answer))
          const giveUp = workers.ask({ tenant, question, done })
          if (giveUp === undefined) return resume(Effect.fail(tooMany))
          return Effect.sync(giveUp)
        })
    })
  )

/** The workers, and the questions that wait for one. */
class Workers<Q, A> {
  private readonly options: Options<Q, A>
  private readonly places = new Set<Place<Q, A>>()
  /** By tenant, the one that had its turn longest ago first. */
  private readonly queues = new Map<Tenant, Array<Waiting<Q, A>>>()

  constructor(options: Options<Q, A>) {
    this.options = options
  }

  /** Answers how to give the question up; `undefined` if too many of its tenant wait. */
  ask(asked: Waiting<Q, A>): (() => void) | undefined {
    const queue = this.queues.get(asked.tenant) ?? []
    if (queue.length >= Limits.refusing.waitingQuestionsMax) return undefined
    queue.push(asked)
    this.queues.set(asked.tenant, queue)
    this.assign()
    return () => this.giveUp(asked)
  }

  end(): void {
    this.queues.clear()
    for (const place of this.places) this.drop(place)
  }

  private assign(): void {
    for (let { due } = this; due !== undefined; due = this.due) {
      const place = this.idle ?? this.start()
      if (place === undefined) break
      this.work(place, this.take(due))
    }
    this.options.counted?.(this.waiting, this.working.length)
  }

  private get working(): ReadonlyArray<Waiting<Q, A>> {
    return [...this.places].flatMap(({ at }) => (at === undefined ? [] : [at]))
  }

  private get waiting(): number {
    return [...this.queues.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** A place that waits for a question. */
  private get idle(): Place<Q, A> | undefined {
    return [...this.places].find(({ at }) => at === undefined)
  }

  /** Starts a worker; `undefined` if there may be no more. */
  private start(): Place<Q, A> | undefined {
    if (this.places.size >= this.options.workersMax) return undefined
    const place: Place<Q, A> = { worker: this.options.start(() => this.drop(place)), at: undefined, timer: undefined }
    this.places.add(place)
    return place
  }

  /** The question whose turn it is. One tenant has at most all workers but one. */
  private get due(): Waiting<Q, A> | undefined {
    const share = Math.max(1, this.options.workersMax - 1)
    const { working } = this
    const isServed = (tenant: Tenant) => working.filter((each) => each.tenant === tenant).length >= share
    return [...this.queues].find(([tenant]) => !isServed(tenant))?.[1][0]
  }

  /** Takes a question off the queue of its tenant, which is then behind all others. */
  private take(asked: Waiting<Q, A>): Waiting<Q, A> {
    const queue = this.queues.get(asked.tenant) ?? []
    this.queues.delete(asked.tenant)
    const rest = queue.filter((each) => each !== asked)
    if (rest.length > 0) this.queues.set(asked.tenant, rest)
    return asked
  }

  private work(place: Place<Q, A>, asked: Waiting<Q, A>): void {
    clearTimeout(place.timer)
    place.at = asked
    place.worker.ask(asked.question, (answer) => {
      place.at = undefined
      clearTimeout(place.timer)
      place.timer = setTimeout(() => this.drop(place), Limits.pacing.workerIdleMillis).unref()
      asked.done(answer)
      this.assign()
    })
  }

  private giveUp(asked: Waiting<Q, A>): void {
    const queue = this.queues.get(asked.tenant)
    const waits = queue?.indexOf(asked) ?? -1
    if (queue !== undefined && waits >= 0) {
      queue.splice(waits, 1)
      if (queue.length === 0) this.queues.delete(asked.tenant)
    }
    const place = [...this.places].find(({ at }) => at === asked)
    if (place !== undefined) {
      place.worker.giveUp()
      const { giveUpMillis = Limits.pacing.workerGiveUpMillis } = this.options
      place.timer = setTimeout(() => this.drop(place), giveUpMillis).unref()
    }
    this.assign()
  }

  /** Ends a worker. What it was asked is answered by nobody. */
  private drop(place: Place<Q, A>): void {
    if (!this.places.delete(place)) return
    clearTimeout(place.timer)
    place.worker.end()
    const { at } = place
    place.at = undefined
    at?.done(undefined)
    this.assign()
  }
}

const lost = Problem.make("WorkerLost", 503, {
  detail: "The worker that looked for the answer has ended. A write may have been made: look, and ask again"
})

/** The refusal of a question of whose tenant too many wait. */
export const tooMany = Problem.make("QuestionsTooMany", 429, {
  detail: `${Limits.refusing.waitingQuestionsMax} questions of the tenant wait already. Wait for their answers`
})
