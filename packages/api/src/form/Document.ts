/**
 * Answers that are documents of the command line: the same JSON as its `--json`, typed by the view that makes them.
 *
 * **Details**
 *
 * A view is plain JSON with more fields than a client needs to see named. The schema names those that clients read,
 * and every other field passes. The named fields have to be those of the view, or the schema does not compile.
 */
import * as JsonText from "@backstitch/trace/JsonText"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** The schema of a view of the type `A`, which has at least the given fields. */
export const of =
  <A extends object>() =>
  <const F extends Schema.Struct.Fields>(
    identifier: string,
    fields: F & ([A] extends [Schema.Struct<F>["Type"]] ? unknown : never)
  ) =>
    Schema.StructWithRest(Schema.Struct(fields as F), [Schema.Record(Schema.String, Schema.Json)])
      .annotate({ identifier })
      .pipe(
        Schema.decodeTo(
          viewOf<A>(),
          SchemaTransformation.transform({ decode: (json) => taken(json), encode: (view) => taken(plain(view)) })
        )
      )

/** The schema of a part of a view that is passed on as it is. */
export const part = <A>() =>
  Schema.Json.pipe(
    Schema.decodeTo(
      viewOf<A>(),
      SchemaTransformation.transform({ decode: (json) => taken(json), encode: (view) => taken(plain(view)) })
    )
  )

/** A view is made by the server or was read as JSON, so its type is taken over. */
const viewOf = <A>() => Schema.declare((view): view is A => view !== undefined)

const taken = <T>(value: unknown): T => value as T

/** Drops absent fields, which JSON does not have. */
const plain = (view: unknown): unknown => JsonText.read(JSON.stringify(view))
