-- Up Migration
-- Which pictures listings and rentals show, kept by the database itself: whoever writes their images need not think of it,
-- a picture that something shows cannot be deleted, and what shows a picture is found without reading every listing.
create table picture_uses (
  subject text collate "C" not null,
  sha256 text collate "C" not null references images,
  primary key (subject, sha256)
);
create index picture_uses_sha256 on picture_uses (sha256);

-- Pictures that their uploader has not put into a listing or a rental yet.
create table uploads (
  sha256 text collate "C" not null references images,
  user_id text collate "C" not null references users on delete cascade,
  created_at timestamptz not null,
  primary key (sha256, user_id)
);
create index uploads_age on uploads (created_at);
create index uploads_user on uploads (user_id);

-- Pictures whose files may be stored although they have no row in images: those being stored (they have a lease, and
-- nobody else deletes their files while it is fresh) and those whose row has just been deleted (they have none).
create table picture_leftovers (
  sha256 text collate "C" primary key,
  lease uuid,
  leased_at timestamptz
);
create index picture_leftovers_age on picture_leftovers (leased_at);

-- The argument is the column of whom the subject belongs to: the pictures of that user are in use now.
create function note_picture_uses() returns trigger language plpgsql as $$
declare
  owner text := to_jsonb(new) ->> tg_argv[0];
begin
  if tg_op = 'UPDATE' then
    delete from picture_uses where subject = new.id;
  end if;
  insert into picture_uses (subject, sha256)
  select distinct new.id, i.sha256 from jsonb_array_elements(new.images) as shown(image) join images i on i.storage_key = shown.image ->> 'key';
  delete from uploads u using picture_uses p where p.subject = new.id and u.sha256 = p.sha256 and u.user_id = owner;
  return null;
end $$;
create function forget_picture_uses() returns trigger language plpgsql as $$
begin
  delete from picture_uses where subject = old.id;
  return null;
end $$;
create trigger listings_pictures_on_insert after insert on listings
  for each row when (new.images <> '[]') execute function note_picture_uses('seller_id');
create trigger listings_pictures_on_update after update of images on listings
  for each row when (old.images is distinct from new.images) execute function note_picture_uses('seller_id');
create trigger listings_pictures_on_delete after delete on listings
  for each row when (old.images <> '[]') execute function forget_picture_uses();
create trigger rentals_pictures_on_insert after insert on rentals
  for each row when (new.images <> '[]') execute function note_picture_uses('owner_id');
create trigger rentals_pictures_on_update after update of images on rentals
  for each row when (old.images is distinct from new.images) execute function note_picture_uses('owner_id');
create trigger rentals_pictures_on_delete after delete on rentals
  for each row when (old.images <> '[]') execute function forget_picture_uses();

insert into picture_uses (subject, sha256)
select distinct subject, i.sha256
from (select id, images from listings union all select id, images from rentals) as all_of(subject, images),
  jsonb_array_elements(images) as shown(image) join images i on i.storage_key = shown.image ->> 'key';
