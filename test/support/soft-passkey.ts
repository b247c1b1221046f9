import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A passkey in memory (ES256, user verified): it answers the challenges of one site as a browser's authenticator does. */
export function createSoftPasskey(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(16);
  const rpIdHash = createHash('sha256').update(new URL(origin).hostname).digest();
  const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url');
  let uses = 0;

  const clientData = (type: string, challenge: string) =>
    base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const head = (flags: number) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE((uses += 1));
    return Buffer.concat([rpIdHash, Buffer.from([flags]), counter]);
  };
  const credential = <Response>(response: Response) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: 'public-key' as const,
    response,
  });

  return {
    /** What `navigator.credentials.create()` answers. */
    register(challenge: string) {
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const [xBytes, yBytes] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
      // A COSE key: kty EC2, alg ES256, crv P-256, x and y.
      const key = Buffer.concat([hex('a5010203262001215820'), xBytes, hex('225820'), yBytes]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const authenticatorData = Buffer.concat([head(0x45), attested]);
      const length = Buffer.from([authenticatorData.length]);
      // {fmt: 'none', attStmt: {}, authData: bytes} in CBOR.
      const attestation = Buffer.concat([
        hex('a363666d74646e6f6e656761747453746d74a068617574684461746158'),
        length,
        authenticatorData,
      ]);
      return credential({
        clientDataJSON: clientData('webauthn.create', challenge),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      });
    },
    /** What `navigator.credentials.get()` answers. */
    signIn(challenge: string) {
      const authenticatorData = head(0x05);
      const clientDataJSON = clientData('webauthn.get', challenge);
      const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
      return credential({
        clientDataJSON,
        authenticatorData: base64url(authenticatorData),
        signature: base64url(sign('sha256', Buffer.concat([authenticatorData, hash]), privateKey)),
      });
    },
  };
}

const hex = (text: string) => Buffer.from(text, 'hex');
