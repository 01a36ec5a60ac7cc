/** A SQLite file for one measurement, which is removed afterwards with SQLite's other files. */
import * as Fs from "node:fs"
import * as Effect from "effect/Effect"

/** Removes a file. */
export const remove = (filename: string): void => {
  for (const end of ["", "-wal", "-shm"]) Fs.rmSync(`${filename}${end}`, { force: true })
}

/** Removes a file after an effect, whatever its result. */
export const removing =
  (filename: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.ensuring(
      effect,
      Effect.sync(() => remove(filename))
    )
