/** A SQLite file of one measurement, which is gone after it with what SQLite keeps beside it. */
import * as Fs from "node:fs"
import * as Effect from "effect/Effect"

/** Removes a file. */
export const remove = (filename: string): void => {
  for (const end of ["", "-wal", "-shm"]) Fs.rmSync(`${filename}${end}`, { force: true })
}

/** Removes a file after an effect, however that ends. */
export const removing =
  (filename: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.ensuring(
      effect,
      Effect.sync(() => remove(filename))
    )
