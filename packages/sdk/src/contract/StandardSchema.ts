/**
 * Schemas of arguments by the Standard Schema interface, which Zod, Valibot, ArkType and others share.
 *
 * @source Standard Schema
 */

/** A schema of any library that has the Standard Schema interface. */
export interface StandardSchema<out Output = unknown> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    /** The JSON Schema of the schema, where the library has the Standard JSON Schema interface. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: "draft-2020-12" }) => Readonly<Record<string, unknown>> }
      | undefined
  }
}

/** The answer of a schema: the value, or what is wrong with it. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<Issue> }

/** A problem of a value, and where it is. */
export interface Issue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** Tells whether a value is a schema of such a library. Some of them are functions. */
export const isStandardSchema = (value: unknown): value is StandardSchema =>
  ((typeof value === "object" && value !== null) || typeof value === "function") && "~standard" in value

/** Writes a problem with its place. */
export const told = ({ message, path = [] }: Issue): string => {
  const place = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  return place === "" ? message : `${place}: ${message}`
}
