/**
 * Brands by which the type of a value is recognised, even if its class was loaded from another copy of a package.
 *
 * A process may hold several copies of one package: a bundled program has its own, and so has the agent that it
 * loads. `instanceof` does not recognise instances of another copy, so a table of one copy would be read as a plain
 * object by the other. A brand is a registered symbol on the prototype. All copies share it, and JSON cannot carry
 * it.
 */

/**
 * Brands the instances of a class, and answers a guard for them.
 *
 * **Details**
 *
 * The name consists of the package, the module, and a number. The number rises when instances with the old layout can
 * no longer be read by new code, or the other way round: a copy that cannot read a value does not recognise it.
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
 * Tells whether a thrown value is an error of a class with a name, such as a tagged error of a schema.
 *
 * **Details**
 *
 * The class is checked and not the instance, because an error may have a field that is called `name`.
 */
export const isError = <E extends Error>(
  cause: unknown,
  of: { readonly identifier: string } & (abstract new (...given: ReadonlyArray<never>) => E)
): cause is E =>
  cause instanceof Error && "identifier" in cause.constructor && cause.constructor.identifier === of.identifier
