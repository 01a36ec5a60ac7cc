/** Reads an entry of a record by a name from outside, which may be that of a property of every object. */
export const entryOf = <A>(record: { readonly [name: string]: A }, name: string): A | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
