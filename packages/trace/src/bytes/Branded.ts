/**
 * Brands by which a value is known for what it is, wherever its class was loaded from.
 *
 * A process may hold several copies of one package: a program that is bundled
 * has its own, and so has the agent that it loads. `instanceof` tells the
 * instances of the one from those of the other, and a table of the one is read
 * as a plain object by the other. A brand is a registered symbol on the
 * prototype, which all copies share and no JSON can carry.
 */

/**
 * Brands the instances of a class, and answers the guard that knows them.
 *
 * **Details**
 *
 * The name is that of the package and the module. It ends with a number that
 * rises when instances of one layout can no longer be read by code for the
 * other: a copy that cannot read a value does not know it.
 *
 * **Example** (Knowing an instance of another copy)
 *
 * ```ts import.meta.vitest
 * import { Branded } from "@backstitch/trace"
 *
 * class Seat {}
 * class Copy {}
 * const isSeat = Branded.guard(Seat, "examples/Seat@1")
 * Branded.guard(Copy, "examples/Seat@1")
 *
 * isSeat(new Copy()) // => true
 * isSeat({}) // => false
 * ```
 */
export const guard = <A extends object>(
  of: abstract new (...given: ReadonlyArray<never>) => A,
  name: string
): ((value: unknown) => value is A) => {
  const brand = Symbol.for(`@backstitch/${name}`)
  Object.defineProperty(of.prototype, brand, { value: true })
  return (value): value is A => typeof value === "object" && value !== null && brand in value
}

/**
 * Tells whether something thrown is an error of a class that names itself, such as a tagged error of a schema.
 *
 * **Details**
 *
 * The class is asked and not the instance: an error may have a field that is called `name`.
 */
export const isError = <E extends Error>(
  cause: unknown,
  of: { readonly identifier: string } & (abstract new (...given: ReadonlyArray<never>) => E)
): cause is E =>
  cause instanceof Error && "identifier" in cause.constructor && cause.constructor.identifier === of.identifier
