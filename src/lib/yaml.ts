import { type Document, type LineCounter, isScalar, parseDocument, visit, YAMLParseError } from "yaml";

/**
 * Parses a YAML text by others in time in proportion to its length (R-SAFE-9); `errors` holds what is wrong with it, a
 * key that stands twice included. The library's own search for such keys compares each with all others.
 */
export function yamlDocument(text: string, lineCounter?: LineCounter): Document.Parsed {
  const document = parseDocument(text, {
    ...(lineCounter && { lineCounter }),
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: "error",
  });
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const { value, range } = key;
        if (keys.has(value)) {
          const [start, end] = range ?? [0, 0];
          document.errors.push(new YAMLParseError([start, end], "DUPLICATE_KEY", "Map keys must be unique"));
        }
        keys.add(value);
      }
    },
  });
  return document;
}
