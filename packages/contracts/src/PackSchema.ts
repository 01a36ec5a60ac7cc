/**
 * The JSON Schema of a pack file, for editors.
 *
 * It describes the shape: the keys and the kind of each value. Names in scope, contradictions and cycles are found by
 * reading the pack. Both come from one grammar, so they agree about what may be written.
 *
 * @source JSON Schema, draft 2020-12
 */
import { definitionsOf, type JsonSchema } from "./grammar/Grammar.ts"
import { pack } from "./grammar/pack/packGrammar.ts"

/** The JSON Schema of a pack file. */
export const schema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Backstitch task pack",
  ...pack.schema,
  $defs: Object.fromEntries(definitionsOf(pack).map(({ name, schema }) => [name, schema()]))
}
