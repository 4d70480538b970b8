/**
 * Of a server of the tests. While a test keeps the program busy for seconds, Node's own 5 s would pass on connections
 * that the client takes for good, and its next call would fail.
 */
export const KEEPS_CONNECTIONS = { keepAliveTimeout: 600_000 };
