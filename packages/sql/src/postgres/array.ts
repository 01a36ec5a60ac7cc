/**
 * Arrays in the format of the server's own. As text, each byte of a digest is two digits and each quote of a JSON text
 * is escaped, and both ends pay for it.
 */

/** Writes an array of texts. */
export const ofTexts = (texts: ReadonlyArray<string>): Buffer => {
  const array = begin(types.text, texts, (text) => Buffer.byteLength(text))
  let at = headBytes
  for (const text of texts) {
    const size = array.write(text, at + 4)
    array.writeInt32BE(size, at)
    at += 4 + size
  }
  return array
}

/** Writes an array of bytes. */
export const ofBytes = (items: ReadonlyArray<Buffer>): Buffer => {
  const array = begin(types.bytes, items, ({ length }) => length)
  let at = headBytes
  for (const item of items) {
    array.writeInt32BE(item.length, at)
    at += 4 + item.copy(array, at + 4)
  }
  return array
}

/** The numbers that the server's catalog has for the types; they are the same on every server. */
const types = { bytes: 17, text: 25 }

const headBytes = 20

/** Room for items, after dimensions, a flag for nulls, the type, how many there are and the number of the first. */
const begin = <Item>(type: number, items: ReadonlyArray<Item>, sizeOf: (item: Item) => number): Buffer => {
  const array = Buffer.allocUnsafe(items.reduce((sum, item) => sum + 4 + sizeOf(item), headBytes))
  for (const [index, field] of [1, 0, type, items.length, 1].entries()) array.writeInt32BE(field, 4 * index)
  return array
}
