/**
 * The messages between the server and a worker that answers questions: a request as it arrived, with the caller whom
 * the server has recognised, and the response.
 */
import { Worker } from "node:worker_threads"
import type * as Access from "@backstitch/api/Access"
import type * as Secrets from "../store/Secrets.ts"
import type * as QuestionPool from "./QuestionPool.ts"

/** A request, and the caller who made it. */
export interface WorkerQuestion {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly caller: Access.CallerFacts
}

/** The response to a question, whole. */
export interface WorkerAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The store that a worker opens again, and what it has to know of the server. */
export interface Setup {
  readonly store: string
  readonly secrets: Secrets.EnvironmentSecrets
  readonly answerKeptMillis: number
}

/** A message to a worker: a question, or `undefined` to give up the one before. */
export type WorkerMessage = WorkerQuestion | undefined

/** Starts a worker, which is a thread with a module of its own. */
export const start =
  (module: URL, setup: Setup) =>
  (lost: () => void): QuestionPool.Worker<WorkerQuestion, WorkerAnswer> => {
    const worker = new Worker(module, { workerData: setup, stderr: false })
    let answered: (answer: WorkerAnswer) => void = () => {}
    worker.on("message", (answer: WorkerAnswer) => answered(answer))
    // It tells the log itself why it ends, and "exit" comes after an error.
    worker.on("error", () => undefined)
    worker.on("exit", lost)
    return {
      ask: (question, next) => {
        answered = next
        worker.postMessage(
          question satisfies WorkerMessage,
          question.body === undefined ? [] : [question.body.buffer as ArrayBuffer]
        )
      },
      giveUp: () => worker.postMessage(undefined satisfies WorkerMessage),
      end: () => void worker.terminate()
    }
  }
