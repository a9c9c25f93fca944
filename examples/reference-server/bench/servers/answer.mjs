/** The answer of every route under load, with or without protection. */
export const ANSWER = { data: { username: 'ada', displayName: 'Ada Lovelace' } };

const text = { type: 'string' };
const data = { type: 'object', properties: { username: text, displayName: text } };

/** The shape of {@link ANSWER}: Fastify's fast serialisation uses it in both servers. */
export const answerSchema = { type: 'object', properties: { data } };
